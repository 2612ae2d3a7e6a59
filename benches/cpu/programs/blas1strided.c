/* axpy and rot of BLAS, with increments as parameters, again and again on one pair of vectors. */
#include "bench.h"

__attribute__((noinline)) static void axpy(int n, double a, const double *x, int incx, double *y, int incy) {
  for (int i = 0; i < n; i++) y[i * incy] += a * x[i * incx];
}

__attribute__((noinline)) static void rot(int n, double *x, int incx, double *y, int incy, double c, double s) {
  for (int i = 0; i < n; i++) {
    double t = c * x[i * incx] + s * y[i * incy];
    y[i * incy] = c * y[i * incy] - s * x[i * incx];
    x[i * incx] = t;
  }
}

int main(void) {
  int n = 4000;
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; i++) {
    x[i] = bench_random(1, i);
    y[i] = bench_random(2, i);
  }
  bench_start();
  for (int r = 0; r < 8000; r++) {
    axpy(n, 1e-4, x, 1, y, 1);
    rot(n, x, 1, y, 1, 0.8, 0.6);
  }
  bench_stop();
  double a = 0;
  for (int i = 0; i < n; i++) a += y[i] * (i % 7) + x[i];
  printf("check blas1strided %.10g\n", a);
  free(x);
  free(y);
  return 0;
}
