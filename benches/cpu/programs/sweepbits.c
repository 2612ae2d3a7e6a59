/* Bits of numbers that change in each step, counted without an instruction for it. */
#include "bench.h"

#define N 30000

static unsigned word[N], bits[N];

static void count(unsigned r) {
  for (int i = 0; i < N; i++) {
    unsigned x = word[i] + r;
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = x + (x >> 4) & 0x0f0f0f0fu;
    bits[i] += x * 0x01010101u >> 24;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) word[i] = bench_random(1, i) * 4294967295.0;
  bench_start();
  for (unsigned r = 0; r < 4000; r++) count(r);
  bench_stop();
  unsigned long sum = 0;
  for (int i = 0; i < N; i++) sum += bits[i] * (1 + i % 7ul);
  printf("check bits %lu %u\n", sum, bits[N / 2]);
  return 0;
}
