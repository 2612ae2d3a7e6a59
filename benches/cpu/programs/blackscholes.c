/* Prices of European options by Black and Scholes, structure of arrays. */
#include "bench.h"

struct book {
  int n;
  double *spot, *strike, *years, *vol, *call, *put;
};

static double cdf(double x) {
  const double a1 = 0.319381530, a2 = -0.356563782, a3 = 1.781477937, a4 = -1.821255978,
               a5 = 1.330274429;
  double l = fabs(x), k = 1 / (1 + 0.2316419 * l);
  double w = 1 - 0.39894228040143267794 * exp(-l * l / 2) * k *
                     (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5))));
  return x < 0 ? 1 - w : w;
}

static void price(struct book *b, double rate) {
  for (int i = 0; i < b->n; i++) {
    double root = sqrt(b->years[i]);
    double d1 = (log(b->spot[i] / b->strike[i]) + (rate + b->vol[i] * b->vol[i] / 2) * b->years[i]) /
                (b->vol[i] * root);
    double d2 = d1 - b->vol[i] * root;
    double discount = exp(-rate * b->years[i]);
    b->call[i] = b->spot[i] * cdf(d1) - b->strike[i] * discount * cdf(d2);
    b->put[i] = b->strike[i] * discount * cdf(-d2) - b->spot[i] * cdf(-d1);
  }
}

int main(void) {
  int n = 50000;
  double *all = malloc(6 * n * sizeof(double));
  struct book b = {n, all, all + n, all + 2 * n, all + 3 * n, all + 4 * n, all + 5 * n};
  for (int i = 0; i < n; i++) {
    b.spot[i] = 50 + 100 * bench_random(1, i);
    b.strike[i] = 50 + 100 * bench_random(2, i);
    b.years[i] = 0.1 + 3 * bench_random(3, i);
    b.vol[i] = 0.1 + 0.5 * bench_random(4, i);
  }

  double worst = 0;
  bench_start();
  for (int r = 0; r < 35; r++) {
    price(&b, 0.01 + 0.001 * r);
    for (int i = 0; i < n; i++)
      if (b.call[i] > worst) worst = b.call[i];
  }
  bench_stop();

  double c = 0, p = 0;
  for (int i = 0; i < n; i++) c += b.call[i], p += b.put[i];
  printf("check blackscholes %.10g %.10g %.10g\n", c, p, worst);
  free(all);
  return 0;
}
