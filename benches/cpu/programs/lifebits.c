/* The game of life with 64 cells in a word: the neighbours are added up in bits of three words. */
#include "bench.h"

#define ROWS 1024
#define WORDS 16

static uint64_t world[ROWS][WORDS], other[ROWS][WORDS];

static void generation(uint64_t from[ROWS][WORDS], uint64_t to[ROWS][WORDS]) {
  for (int i = 1; i < ROWS - 1; i++) {
    for (int w = 0; w < WORDS; w++) {
      uint64_t ones = 0, twos = 0, fours = 0;
      for (int d = -1; d <= 1; d++) {
        uint64_t here = from[i + d][w];
        uint64_t left = here << 1 | (w > 0 ? from[i + d][w - 1] >> 63 : 0);
        uint64_t right = here >> 1 | (w < WORDS - 1 ? from[i + d][w + 1] << 63 : 0);
        uint64_t add[3] = {left, right, here};
        for (int k = 0; k < (d ? 3 : 2); k++) {
          uint64_t carry = ones & add[k];
          ones ^= add[k];
          fours |= twos & carry;
          twos ^= carry;
        }
      }
      to[i][w] = twos & ~fours & (ones | from[i][w]);
    }
  }
}

int main(void) {
  for (int i = 1; i < ROWS - 1; i++)
    for (int w = 0; w < WORDS; w++)
      for (int b = 0; b < 64; b++) world[i][w] |= (uint64_t)(bench_random(1, (i * WORDS + w) * 64 + b) < 0.3) << b;

  bench_start();
  for (int g = 0; g < 400; g++) {
    generation(world, other);
    generation(other, world);
  }
  bench_stop();

  long alive = 0;
  uint64_t mixed = 0;
  for (int i = 0; i < ROWS; i++)
    for (int w = 0; w < WORDS; w++) {
      mixed = mixed * 31 + world[i][w];
      for (int b = 0; b < 64; b++) alive += world[i][w] >> b & 1;
    }
  printf("check cells %ld %llu\n", alive, (unsigned long long)mixed);
  return 0;
}
