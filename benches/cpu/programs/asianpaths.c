/* Asian options by paths: a generator for each path, Box and Muller's pairs, and the mean of payoffs. */
#include "bench.h"

#define PATHS 45000
#define STEPS 64

typedef struct {
  uint64_t s;
} rng;

static double uniform(rng *r) {
  r->s ^= r->s << 13;
  r->s ^= r->s >> 7;
  r->s ^= r->s << 17;
  return ((r->s >> 11) + 0.5) * 0x1p-53;
}

static void normals(rng *r, double *z, int n) {
  for (int i = 0; i < n; i += 2) {
    double m = sqrt(-2 * log(uniform(r))), a = 2 * M_PI * uniform(r);
    z[i] = m * cos(a);
    z[i + 1] = m * sin(a);
  }
}

static double payoff(unsigned path, double spot, double strike, double drift, double vol) {
  rng r = {0x9E3779B97F4A7C15u * (path + 1)};
  double z[STEPS], mean = 0;
  normals(&r, z, STEPS);
  for (int t = 0; t < STEPS; t++) {
    spot *= 1 + drift + vol * z[t];
    mean += spot;
  }
  mean /= STEPS;
  return mean > strike ? mean - strike : 0;
}

int main(void) {
  double sum = 0, squares = 0;
  long paid = 0;
  bench_start();
  for (unsigned p = 0; p < 2 * PATHS; p++) {
    double v = payoff(p, 100, 102, 0.0005, 0.02);
    sum += v;
    squares += v * v;
    if (v > 0) paid++;
  }
  bench_stop();
  double mean = sum / (2 * PATHS);
  printf("check asianpaths %.9g %.9g %ld\n", mean, squares / (2 * PATHS) - mean * mean, paid);
  return 0;
}
