/* The matrix product in the order of the textbook, a sum innermost. */
#include "bench.h"

#define N 500

static double a[N][N], b[N][N], c[N][N];

static void matmul(double x[N][N], double y[N][N], double z[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += x[i][k] * y[k][j];
      z[i][j] = sum;
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = bench_random(1, i * N + j) / 100;
      b[i][j] = bench_random(2, i * N + j);
    }

  bench_start();
  matmul(a, b, c);
  matmul(a, c, b);
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += b[i][j] * (1 + (i + j) % 13);
  printf("check product %.17g %.17g %.17g\n", sum, b[0][0], c[N / 2][N / 3]);
  return 0;
}
