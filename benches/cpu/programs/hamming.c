/* Hamming distances of all pairs of long codes, counted bit by bit with tricks. */
#include "bench.h"

#define CODES 700
#define WORDS 16

static uint64_t code[CODES][WORDS];

static unsigned count(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (unsigned)(x * 0x0101010101010101u >> 56);
}

int main(void) {
  for (int i = 0; i < CODES; i++)
    for (int w = 0; w < WORDS; w++)
      for (int h = 0; h < 2; h++) code[i][w] = code[i][w] << 32 | (uint32_t)(bench_random(h + 1, i * WORDS + w) * 4294967296.0);

  static long histogram[64 * WORDS + 1];
  unsigned least = ~0u;
  int pi = 0, pj = 0;
  bench_start();
  for (int r = 0; r < 30; r++) {
    for (int i = 0; i < CODES; i++)
      for (int j = i + 1; j < CODES; j++) {
        unsigned d = 0;
        for (int w = 0; w < WORDS; w++) d += count(code[i][w] ^ code[j][w]);
        histogram[d]++;
        if (d < least) {
          least = d;
          pi = i;
          pj = j;
        }
      }
    code[r * 3][r % WORDS] ^= 0xffff;
  }
  bench_stop();

  long sum = 0;
  for (int d = 0; d <= 64 * WORDS; d++) sum += histogram[d] * (d % 37);
  printf("check hamming %u %d %d %ld\n", least, pi, pj, sum);
  return 0;
}
