/* A polynomial of eight coefficients for each element, by Horner's scheme. */
#include "bench.h"

#define N 100000
#define TERMS 8

static void evaluate(const double *coefficients, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double value = coefficients[TERMS - 1];
    for (int k = TERMS - 2; k >= 0; k--) value = value * x[i] + coefficients[k];
    y[i] = value;
  }
}

int main(void) {
  static double x[N], y[N];
  double coefficients[TERMS] = {0.02, 0.9, -0.1, 0.05, -0.04, 0.03, -0.02, 0.01};
  for (int i = 0; i < N; i++) x[i] = bench_random(1, i);

  bench_start();
  for (int r = 0; r < 200; r++) {
    evaluate(coefficients, x, y, N);
    evaluate(coefficients, y, x, N);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * (1 + i % 13);
  printf("check values %.17g %.17g %.17g\n", sum, x[0], y[N / 2]);
  return 0;
}
