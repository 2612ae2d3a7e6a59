/* The prices of options by Black and Scholes, and of one by a tree of prices. */
#include "bench.h"

#define N 40000
#define STEPS 800

static double normal(double x) {
  double k = 1.0 / (1.0 + 0.2316419 * fabs(x));
  double tail = 0.3989422804014327 * exp(-0.5 * x * x) * k *
                (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  return x < 0 ? tail : 1.0 - tail;
}

static void price(const double *spot, const double *strike, const double *years, double rate, double volatility,
                  double *call, double *put, int n) {
  for (int i = 0; i < n; i++) {
    double root = volatility * sqrt(years[i]);
    double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / root;
    double d2 = d1 - root;
    double discounted = strike[i] * exp(-rate * years[i]);
    call[i] = spot[i] * normal(d1) - discounted * normal(d2);
    put[i] = call[i] + discounted - spot[i];
  }
}

static double american_put(double spot, double strike, double rate, double volatility, double years) {
  static double value[STEPS + 1], power[2 * STEPS + 1];
  double dt = years / STEPS, up = exp(volatility * sqrt(dt)), p = (exp(rate * dt) - 1 / up) / (up - 1 / up);
  double discount = exp(-rate * dt);
  for (int k = -STEPS; k <= STEPS; k++) power[k + STEPS] = spot * pow(up, k);
  for (int i = 0; i <= STEPS; i++) value[i] = fmax(0.0, strike - power[2 * i]);
  for (int s = STEPS - 1; s >= 0; s--)
    for (int i = 0; i <= s; i++) {
      double hold = discount * (p * value[i + 1] + (1 - p) * value[i]);
      double now = strike - power[STEPS - s + 2 * i];
      value[i] = hold > now ? hold : now;
    }
  return value[0];
}

int main(void) {
  double *spot = malloc(N * sizeof(double)), *strike = malloc(N * sizeof(double)), *years = malloc(N * sizeof(double));
  double *call = malloc(N * sizeof(double)), *put = malloc(N * sizeof(double));
  for (int i = 0; i < N; i++) {
    spot[i] = 50 + 100 * bench_random(1, i);
    strike[i] = 50 + 100 * bench_random(2, i);
    years[i] = 0.1 + 3 * bench_random(3, i);
  }

  double sum = 0;
  bench_start();
  for (int r = 0; r < 50; r++) {
    price(spot, strike, years, 0.02, 0.2 + 0.01 * r, call, put, N);
    sum += call[r] + put[2 * r] + american_put(100, 95 + r, 0.03, 0.25, 1.5);
  }
  bench_stop();

  for (int i = 0; i < N; i++) sum += call[i] * (1 + i % 13) + put[i];
  printf("check prices %.17g %.17g %.17g\n", sum, call[N / 2], put[N / 3]);
  free(spot), free(strike), free(years);
  free(call), free(put);
  return 0;
}
