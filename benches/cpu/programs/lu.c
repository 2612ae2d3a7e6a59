/* The factors L and U in a matrix's place, without a pivot, and a system solved by them. */
#include "bench.h"

#define N 400

static double a[N][N], b[N];

static void decompose(void) {
  for (int k = 0; k < N; k++)
    for (int i = k + 1; i < N; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j];
    }
}

static void substitute(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) b[i] -= a[i][j] * b[j];
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
}

int main(void) {
  double total = 0;
  bench_start();
  for (int r = 0; r < 8; r++) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) a[i][j] = i == j ? 3 + r : 1.0 / (1 + (i * 7 + j * 3) % N);
      b[i] = i % 10 - 4.5;
    }
    decompose();
    substitute();
    total += b[N / 2];
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += b[i] * (1 + i % 13);
  printf("check solution %.17g %.17g %.17g\n", sum, total, a[N - 1][N - 1]);
  return 0;
}
