/* The Cholesky factor of a matrix whose rows lie one behind another in a plain array. */
#include "bench.h"

#define N 800

static void cholesky(double *a, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
    for (int k = 0; k < i; k++) a[i * n + i] -= a[i * n + k] * a[i * n + k];
    a[i * n + i] = sqrt(a[i * n + i]);
  }
}

int main(void) {
  double *a = malloc((size_t)N * N * sizeof *a);
  double total = 0;
  bench_start();
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) a[i * N + j] = i == j ? N + r : 1.0 / (1 + abs(i - j));
    cholesky(a, N);
    total += a[N * N - 1];
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) sum += a[i * N + j] * (1 + (i + j) % 13);
  printf("check factor %.17g %.17g %.17g\n", sum, total, a[N * (N - 1)]);
  free(a);
  return 0;
}
