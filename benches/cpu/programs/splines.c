/* Natural cubic splines through many curves with common knots, evaluated on a fine mesh. */
#include "bench.h"

typedef struct {
  size_t knots, curves;
  double *x;          /* [knots] */
  double *y, *second; /* [curves][knots] */
} SplineSet;

static void fit(SplineSet *s) {
  const size_t n = s->knots;
  double c[n], d[n];
  for (size_t k = 0; k < s->curves; k++) {
    const double *restrict y = s->y + k * n, *restrict x = s->x;
    double *restrict m = s->second + k * n;
    c[0] = d[0] = 0;
    for (size_t i = 1; i + 1 < n; i++) {
      const double hl = x[i] - x[i - 1], hr = x[i + 1] - x[i];
      const double rhs = 6 * ((y[i + 1] - y[i]) / hr - (y[i] - y[i - 1]) / hl);
      const double den = 2 * (hl + hr) - hl * c[i - 1];
      c[i] = hr / den;
      d[i] = (rhs - hl * d[i - 1]) / den;
    }
    m[n - 1] = 0;
    for (size_t i = n - 1; i-- > 0;) m[i] = d[i] - c[i] * m[i + 1];
  }
}

static size_t locate(const double *x, size_t n, double t) {
  size_t lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (x[mid] > t)
      hi = mid;
    else
      lo = mid;
  }
  return lo;
}

static void evaluate(const SplineSet *s, const double *restrict t, size_t count, double *restrict out) {
  const size_t n = s->knots;
  for (size_t j = 0; j < count; j++) {
    const size_t i = locate(s->x, n, t[j]);
    const double h = s->x[i + 1] - s->x[i], a = (s->x[i + 1] - t[j]) / h, b = (t[j] - s->x[i]) / h;
    const double wa = (a * a * a - a) * h * h / 6, wb = (b * b * b - b) * h * h / 6;
    for (size_t k = 0; k < s->curves; k++) {
      const double *y = s->y + k * n, *m = s->second + k * n;
      out[j * s->curves + k] = a * y[i] + b * y[i + 1] + wa * m[i] + wb * m[i + 1];
    }
  }
}

int main(void) {
  SplineSet s = {.knots = 64, .curves = 120};
  const size_t fine = 2000;
  s.x = malloc(s.knots * sizeof *s.x);
  s.y = malloc(s.knots * s.curves * sizeof *s.y);
  s.second = malloc(s.knots * s.curves * sizeof *s.second);
  double *t = malloc(fine * sizeof *t), *out = malloc(fine * s.curves * sizeof *out);
  for (size_t i = 0; i < s.knots; i++) s.x[i] = i + 0.4 * bench_random(1, i);
  for (size_t i = 0; i < s.knots * s.curves; i++) s.y[i] = sin(0.001 * i) + bench_random(2, i);
  for (size_t j = 0; j < fine; j++) t[j] = s.x[0] + (s.x[s.knots - 1] - s.x[0]) * bench_random(3, j);
  double sum = 0;
  bench_start();
  for (int r = 0; r < 130; r++) {
    fit(&s);
    evaluate(&s, t, fine, out);
    sum += out[(size_t)r * 997 % (fine * s.curves)];
    for (size_t k = 0; k < s.curves; k++) s.y[k * s.knots + (size_t)r % s.knots] += 0.1;
  }
  bench_stop();
  for (size_t i = 0; i < fine * s.curves; i++) sum += out[i] * (double)(i % 3);
  printf("check splines %.10g\n", sum);
  free(s.x), free(s.y), free(s.second), free(t), free(out);
  return 0;
}
