/* American puts by binomial trees, one array that shrinks as time runs back. */
#include "bench.h"

#define STEPS 600

typedef struct {
  double spot, strike, rate, vol, years;
} option;

static double american_put(const option *o, double *value, double *pay) {
  double dt = o->years / STEPS, up = exp(o->vol * sqrt(dt)), down = 1 / up;
  double p = (exp(o->rate * dt) - down) / (up - down), disc = exp(-o->rate * dt);
  double pu = disc * p, pd = disc * (1 - p);

  /* pay[k] is for a price of spot up^(k - STEPS). */
  double s = o->spot * pow(down, STEPS);
  for (int k = 0; k <= 2 * STEPS; k++) {
    pay[k] = o->strike > s ? o->strike - s : 0;
    s *= up;
  }
  for (int i = 0; i <= STEPS; i++) value[i] = pay[2 * i];
  for (int n = STEPS - 1; n >= 0; n--)
    for (int i = 0; i <= n; i++) {
      double hold = pu * value[i + 1] + pd * value[i];
      double now = pay[2 * i + STEPS - n];
      value[i] = hold > now ? hold : now;
    }
  return value[0];
}

int main(void) {
  static double value[STEPS + 1], pay[2 * STEPS + 1];
  option book[1000];
  for (int i = 0; i < 1000; i++)
    book[i] = (option){100, 70 + 60 * bench_random(1, i), 0.02 + 0.04 * bench_random(2, i),
                       0.15 + 0.3 * bench_random(3, i), 0.25 + 2 * bench_random(4, i)};

  double sum = 0, most = 0;
  bench_start();
  for (int i = 0; i < 1000; i++) {
    double v = american_put(book + i, value, pay);
    sum += v;
    most = v > most ? v : most;
  }
  bench_stop();
  printf("check binomialtree %.9g %.9g\n", sum, most);
  return 0;
}
