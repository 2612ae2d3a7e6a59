/* A Bloom filter of 64-bit keys: inserted, queried, false positives counted, two filters joined. */
#include "bench.h"

#define BITS (1u << 20)
#define HASHES 5

struct filter {
  uint32_t bit[BITS / 32];
  unsigned long added;
};

static inline uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

static void add(struct filter *f, uint64_t key) {
  uint64_t h = mix(key);
  uint32_t a = (uint32_t)h, b = (uint32_t)(h >> 32) | 1;
  for (int i = 0; i < HASHES; i++, a += b) f->bit[a % BITS / 32] |= 1u << a % 32;
  f->added++;
}

static int has(const struct filter *f, uint64_t key) {
  uint64_t h = mix(key);
  uint32_t a = (uint32_t)h, b = (uint32_t)(h >> 32) | 1;
  for (int i = 0; i < HASHES; i++) {
    if (!(f->bit[a % BITS / 32] >> a % 32 & 1)) return 0;
    a += b;
  }
  return 1;
}

static void join(struct filter *f, const struct filter *g) {
  for (unsigned i = 0; i < BITS / 32; i++) f->bit[i] |= g->bit[i];
  f->added += g->added;
}

static long ones(const struct filter *f) {
  long n = 0;
  for (unsigned i = 0; i < BITS / 32; i++)
    for (uint32_t w = f->bit[i]; w; w &= w - 1) n++;
  return n;
}

int main(void) {
  static struct filter f, g;
  long found = 0, wrong = 0;
  bench_start();
  for (uint64_t k = 0; k < 60000; k++) {
    add(&f, k * 3);
    add(&g, k * 3 + 1);
  }
  for (uint64_t k = 0; k < 6000000; k++) {
    if (k < 180000 && k % 3 == 0)
      found += has(&f, k);
    else
      wrong += has(&f, k);
  }
  join(&f, &g);
  for (uint64_t k = 0; k < 6000000; k++) wrong += has(&f, 3 * k + 2);
  bench_stop();
  printf("check bloom %ld %ld %ld %lu\n", found, wrong, ones(&f), f.added);
  return 0;
}
