/* A matrix and its transpose times vectors, in turn. */
#include "bench.h"

#define N 1000

static void multiply(int n, const float *restrict a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
}

static void multiply_transposed(int n, const float *restrict a, const float *restrict x, float *restrict y) {
  for (int j = 0; j < n; j++) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * n + j] * x[i];
    y[j] = sum;
  }
}

int main(void) {
  float *a = malloc(N * N * sizeof *a), *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N * N; i++) a[i] = (float)bench_random(1, i) / 500.0f;
  for (int i = 0; i < N; i++) x[i] = 1.0f;

  bench_start();
  for (int r = 0; r < 180; r++) {
    multiply(N, a, x, y);
    multiply_transposed(N, a, y, x);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += (double)x[i] * (1 + i % 13);
  printf("check x %.17g %.9g %.9g\n", sum, x[0], y[N / 2]);
  free(a);
  free(x);
  free(y);
  return 0;
}
