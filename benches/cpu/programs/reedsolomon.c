/* Erasure coding: GF(256) by log tables, Cauchy parity shards, and the rebuilding of lost ones. */
#include "bench.h"
#include <string.h>

enum { DATA = 8, PARITY = 4, SHARD = 32768 };

static uint8_t gf_exp[512], gf_log[256];
static uint8_t shard[DATA + PARITY][SHARD], lost[PARITY][SHARD];

static void gf_init(void) {
  unsigned x = 1;
  for (int i = 0; i < 255; i++) {
    gf_exp[i] = gf_exp[i + 255] = (uint8_t)x;
    gf_log[x] = (uint8_t)i;
    x <<= 1;
    if (x & 0x100) x ^= 0x11d;
  }
}

static inline uint8_t gf_mul(uint8_t a, uint8_t b) { return a && b ? gf_exp[gf_log[a] + gf_log[b]] : 0; }
static inline uint8_t gf_inv(uint8_t a) { return gf_exp[255 - gf_log[a]]; }

static void mul_add(uint8_t *restrict dst, const uint8_t *restrict src, uint8_t c, size_t n) {
  uint8_t row[256];
  if (!c) return;
  for (int i = 0; i < 256; i++) row[i] = gf_mul((uint8_t)i, c);
  for (size_t i = 0; i < n; i++) dst[i] ^= row[src[i]];
}

static uint8_t cauchy(int p, int d) { return gf_inv((uint8_t)((DATA + p) ^ d)); }

static void encode(void) {
  for (int p = 0; p < PARITY; p++) {
    memset(shard[DATA + p], 0, SHARD);
    for (int d = 0; d < DATA; d++) mul_add(shard[DATA + p], shard[d], cauchy(p, d), SHARD);
  }
}

/* Rebuilds the data shards missing[0..n), n <= PARITY, from the others and n parities. */
static int rebuild(const int *missing, int n) {
  uint8_t a[PARITY][2 * PARITY] = {{0}};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) a[i][j] = cauchy(i, missing[j]);
    a[i][n + i] = 1;
  }
  for (int c = 0; c < n; c++) {
    int p = c;
    while (p < n && !a[p][c]) p++;
    if (p == n) return -1;
    for (int k = 0; k < 2 * n; k++) {
      uint8_t t = a[p][k];
      a[p][k] = a[c][k];
      a[c][k] = t;
    }
    uint8_t inv = gf_inv(a[c][c]);
    for (int k = 0; k < 2 * n; k++) a[c][k] = gf_mul(a[c][k], inv);
    for (int r = 0; r < n; r++)
      if (r != c && a[r][c]) {
        uint8_t f = a[r][c];
        for (int k = 0; k < 2 * n; k++) a[r][k] ^= gf_mul(f, a[c][k]);
      }
  }
  uint8_t(*syndrome)[SHARD] = lost;
  for (int i = 0; i < n; i++) {
    memcpy(syndrome[i], shard[DATA + i], SHARD);
    for (int d = 0; d < DATA; d++) {
      int gone = 0;
      for (int j = 0; j < n; j++) gone |= missing[j] == d;
      if (!gone) mul_add(syndrome[i], shard[d], cauchy(i, d), SHARD);
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) mul_add(shard[missing[j]], syndrome[i], a[j][n + i], SHARD);
  return 0;
}

int main(void) {
  gf_init();
  for (int d = 0; d < DATA; d++)
    for (int i = 0; i < SHARD; i++) shard[d][i] = (uint8_t)(bench_random(d, i) * 256);
  static uint8_t copy[DATA][SHARD];
  memcpy(copy, shard, sizeof copy);
  int wrong = 0;
  bench_start();
  for (int r = 0; r < 100; r++) {
    encode();
    int missing[PARITY], n = r % PARITY + 1;
    for (int j = 0; j < n; j++) {
      missing[j] = (r + 2 * j) % DATA;
      memset(shard[missing[j]], 0, SHARD);
    }
    wrong += rebuild(missing, n) != 0 || memcmp(copy, shard, sizeof copy) != 0;
  }
  bench_stop();
  unsigned sum = 0;
  for (int p = 0; p < PARITY; p++)
    for (int i = 0; i < SHARD; i++) sum = sum * 31 + shard[DATA + p][i];
  printf("check reedsolomon %d %u\n", wrong, sum);
  return 0;
}
