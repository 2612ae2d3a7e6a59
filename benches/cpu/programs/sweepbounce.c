/* Particles on a line that come back from both ends. */
#include "bench.h"

#define N 20000

static double x[N], v[N];

static void move(double dt) {
  for (int i = 0; i < N; i++) {
    x[i] += v[i] * dt;
    if (x[i] < 0) {
      x[i] = -x[i];
      v[i] = -v[i];
    }
    if (x[i] > 1) {
      x[i] = 2 - x[i];
      v[i] = -v[i];
    }
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = bench_random(1, i);
    v[i] = bench_random(2, i) - 0.5;
  }
  bench_start();
  for (int r = 0; r < 3000; r++) move(0.01);
  bench_stop();
  double sum = 0;
  for (int i = 0; i < N; i++) sum += (x[i] + v[i]) * (1 + i % 7);
  printf("check particles %.17g %.17g\n", sum, x[N / 2]);
  return 0;
}
