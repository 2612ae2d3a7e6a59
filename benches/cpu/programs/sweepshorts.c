/* Samples of 16 bits mixed into an echo, in place. */
#include "bench.h"

#define N 60000

static short echo[N], sample[N];

static void mix(void) {
  for (int i = 0; i < N; i++) echo[i] = (echo[i] * 3 + sample[i]) >> 2;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    echo[i] = bench_random(1, i) * 2000 - 1000;
    sample[i] = bench_random(2, i) * 2000 - 1000;
  }
  bench_start();
  for (int r = 0; r < 4000; r++) mix();
  bench_stop();
  long sum = 0;
  for (int i = 0; i < N; i++) sum += echo[i] * (1 + i % 7);
  printf("check samples %ld %d\n", sum, echo[N / 2]);
  return 0;
}
