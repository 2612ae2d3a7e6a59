/* Counters that grow and are held within limits, all of them in each step. */
#include "bench.h"

#define N 30000

static int level[N], gain[N];

static void step(int r) {
  for (int i = 0; i < N; i++) {
    int v = level[i] * 3 + gain[i] - r;
    if (v > 5000) v -= 5000;
    if (v < -100) v = -100;
    level[i] = v;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    level[i] = bench_random(1, i) * 1000;
    gain[i] = bench_random(2, i) * 9;
  }
  bench_start();
  for (int r = 0; r < 4000; r++) step(r);
  bench_stop();
  long sum = 0;
  for (int i = 0; i < N; i++) sum += level[i] * (1 + i % 7);
  printf("check levels %ld %d\n", sum, level[N / 2]);
  return 0;
}
