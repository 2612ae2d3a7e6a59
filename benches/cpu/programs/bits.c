/* Many xorshift generators side by side, and the bits of their words counted in three ways. */
#include "bench.h"

#define N 10000

static uint32_t state[N];
static uint64_t wide[N];
static unsigned char ones[256];

static void next_words(uint32_t *s, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t x = s[i];
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    s[i] = x;
  }
}

static void next_wide(uint64_t *s, int n) {
  for (int i = 0; i < n; i++) {
    s[i] ^= s[i] >> 12;
    s[i] ^= s[i] << 25;
    s[i] ^= s[i] >> 27;
  }
}

static long count_parallel(const uint32_t *s, int n) {
  long total = 0;
  for (int i = 0; i < n; i++) {
    uint32_t x = s[i];
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    total += (x * 0x01010101u) >> 24;
  }
  return total;
}

static long count_table(const unsigned char *bytes, size_t n) {
  long total = 0;
  for (size_t i = 0; i < n; i++) total += ones[bytes[i]];
  return total;
}

static int count_kernighan(uint64_t x) {
  int n = 0;
  while (x) {
    x &= x - 1;
    n++;
  }
  return n;
}

int main(void) {
  for (int i = 0; i < 256; i++) ones[i] = (unsigned char)count_kernighan(i);
  for (int i = 0; i < N; i++) {
    state[i] = 1 + (uint32_t)(bench_random(1, i) * 4000000000.0);
    wide[i] = 1 + (uint64_t)(bench_random(2, i) * 1e18);
  }

  long parallel = 0, table = 0, single = 0;
  bench_start();
  for (int r = 0; r < 5000; r++) {
    next_words(state, N);
    next_wide(wide, N);
    parallel += count_parallel(state, N);
    if (r % 5 == 0) table += count_table((const unsigned char *)wide, sizeof wide);
    if (r % 50 == 0)
      for (int i = 0; i < N; i++) single += count_kernighan(wide[i] ^ wide[(i + 1) % N]);
  }
  bench_stop();

  uint64_t mixed = 0;
  for (int i = 0; i < N; i++) mixed = mixed * 31 + (wide[i] ^ state[i]);
  printf("check bits %ld %ld %ld %llu\n", parallel, table, single, (unsigned long long)mixed);
  return 0;
}
