/* Polynomials over arrays: a Chebyshev series by Clenshaw's rule, and cubic pieces of a spline. */
#include "bench.h"

#define N 20000
#define TERMS 12
#define PIECES 64

static double series(const double c[], int terms, double x) {
  double b1 = 0.0, b2 = 0.0;
  for (int k = terms - 1; k > 0; k--) {
    double b0 = 2.0 * x * b1 - b2 + c[k];
    b2 = b1;
    b1 = b0;
  }
  return x * b1 - b2 + 0.5 * c[0];
}

static void evaluate(const double *c, const double *x, double *y, unsigned n) {
  for (unsigned i = 0; i < n; i++) y[i] = series(c, TERMS, x[i]);
}

static void spline(const float *pieces, const float *at, float *out, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    float t = at[i] * PIECES;
    int k = (int)t;
    const float *c = pieces + 4 * k;
    t -= k;
    out[i] = ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
  }
}

int main(void) {
  static double c[TERMS], x[N], y[N];
  static float pieces[4 * PIECES], at[N], out[N];
  for (int k = 0; k < TERMS; k++) c[k] = (bench_random(1, k) - 0.5) / (1 + k);
  for (int k = 0; k < 4 * PIECES; k++) pieces[k] = (float)bench_random(2, k) - 0.5f;
  for (int i = 0; i < N; i++) {
    x[i] = 2 * bench_random(3, i) - 1;
    at[i] = 0.9999f * (float)bench_random(4, i);
  }

  double sum = 0;
  bench_start();
  for (int r = 0; r < 600; r++) {
    evaluate(c, x, y, N);
    spline(pieces, at, out, N);
    sum += y[r] + out[2 * r];
    c[r % TERMS] += 0.001;
    pieces[r % PIECES] -= 0.001f;
  }
  bench_stop();

  for (int i = 0; i < N; i++) sum += y[i] * (1 + i % 13) + out[i] * (1 + i % 5);
  printf("check polynomials %.17g %.17g %.9g\n", sum, y[N / 2], out[N / 3]);
  return 0;
}
