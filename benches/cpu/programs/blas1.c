/* The vector operations of an iterative solver: a multiple added, dot product, norm, scaling. */
#include "bench.h"

#define N 50000

static void axpy(int n, double a, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static double norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void scale(int n, double a, double *x) {
  for (int i = 0; i < n; i++) x[i] *= a;
}

int main(void) {
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N; i++) {
    x[i] = bench_random(1, i);
    y[i] = bench_random(2, i) - 0.5;
  }

  bench_start();
  for (int r = 0; r < 1000; r++) {
    double along = dot(N, x, y) / dot(N, x, x);
    axpy(N, 0.5 - along, x, y);
    scale(N, 1 / norm(N, y), y);
    axpy(N, 0.01, y, x);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * (1 + i % 13) + y[i];
  printf("check vectors %.17g %.17g %.17g\n", sum, x[0], y[N / 2]);
  free(x);
  free(y);
  return 0;
}
