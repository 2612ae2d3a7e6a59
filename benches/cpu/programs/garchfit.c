/* GARCH(1,1) fitted to many return series by a grid and golden section; value at risk of the last day. */
#include "bench.h"

enum { SERIES = 24, DAYS = 500 };

typedef struct { double omega, alpha, beta, loglik, last_var; } Fit;

static double *returns[SERIES];

static double loglik(const double *r, size_t n, double omega, double alpha, double beta, double *last) {
  double v = 0, l = 0;
  for (size_t t = 0; t < n; t++) v += r[t] * r[t];
  v /= n;
  for (size_t t = 0; t < n; t++) {
    l -= 0.5 * (log(v) + r[t] * r[t] / v);
    v = omega + alpha * r[t] * r[t] + beta * v;
  }
  *last = v;
  return l;
}

static Fit fit(const double *r, size_t n) {
  double var = 0, last;
  for (size_t t = 0; t < n; t++) var += r[t] * r[t];
  var /= n;
  Fit best = {.loglik = -INFINITY};
  for (int a = 1; a <= 6; a++)
    for (int b = 0; b < 8; b++) {
      double alpha = 0.03 * a, beta = 0.45 + 0.06 * b;
      if (alpha + beta >= 0.999) break;
      double omega = var * (1 - alpha - beta), l = loglik(r, n, omega, alpha, beta, &last);
      if (l > best.loglik) best = (Fit){omega, alpha, beta, l, last};
    }
  const double g = 0.6180339887498949;
  double lo = 0.3 * best.omega, hi = 3 * best.omega;
  for (int i = 0; i < 18; i++) {
    double p = hi - g * (hi - lo), q = lo + g * (hi - lo), x, y;
    if (loglik(r, n, p, best.alpha, best.beta, &x) > loglik(r, n, q, best.alpha, best.beta, &y))
      hi = q;
    else
      lo = p;
  }
  best.omega = 0.5 * (lo + hi);
  best.loglik = loglik(r, n, best.omega, best.alpha, best.beta, &best.last_var);
  return best;
}

int main(void) {
  for (int s = 0; s < SERIES; s++) {
    returns[s] = malloc(DAYS * sizeof(double));
    double v = 1e-4;
    for (int t = 0; t < DAYS; t++) {
      double z = -6;
      for (int k = 0; k < 12; k++) z += bench_random(s * 12 + k, t);
      returns[s][t] = sqrt(v) * z;
      v = 5e-6 + 0.1 * returns[s][t] * returns[s][t] + 0.85 * v;
    }
  }
  double risk = 0, ll = 0;
  bench_start();
  for (int s = 0; s < SERIES; s++) {
    for (size_t from = 0; from < 100; from += 10) {
      Fit f = fit(returns[s] + from, DAYS - from);
      risk += 2.326 * sqrt(f.last_var);
      ll += f.loglik;
    }
  }
  bench_stop();
  printf("check garchfit %.6g %.8g\n", risk, ll);
  for (int s = 0; s < SERIES; s++) free(returns[s]);
  return 0;
}
