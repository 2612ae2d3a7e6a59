/* Products and factorials of integers of many digits, base 10^9. */
#include "bench.h"

#define BASE 1000000000u

typedef struct {
  size_t len, cap;
  uint32_t *d;
} big;

static big big_new(size_t cap) { return (big){0, cap, calloc(cap, sizeof(uint32_t))}; }

static void mul_small(big *x, uint32_t f) {
  uint64_t carry = 0;
  for (size_t i = 0; i < x->len; i++) {
    carry += (uint64_t)x->d[i] * f;
    x->d[i] = carry % BASE;
    carry /= BASE;
  }
  while (carry) {
    x->d[x->len++] = carry % BASE;
    carry /= BASE;
  }
}

static void mul(const big *a, const big *b, big *r) {
  for (size_t i = 0; i < a->len + b->len; i++) r->d[i] = 0;
  for (size_t i = 0; i < a->len; i++) {
    uint64_t carry = 0, f = a->d[i];
    size_t j = 0;
    for (; j < b->len; j++) {
      carry += r->d[i + j] + f * b->d[j];
      r->d[i + j] = carry % BASE;
      carry /= BASE;
    }
    r->d[i + j] = carry;
  }
  r->len = a->len + b->len;
  while (r->len && !r->d[r->len - 1]) r->len--;
}

int main(void) {
  big f = big_new(2000), g = big_new(2000), p = big_new(4000);
  f.d[0] = g.d[0] = f.len = g.len = 1;

  bench_start();
  for (uint32_t i = 2; i <= 5000; i++) mul_small(&f, i);
  for (uint32_t i = 0; i < 5000; i++) mul_small(&g, 7 + i % 3000);
  for (int r = 0; r < 12; r++) {
    mul(&f, &g, &p);
    g.d[r] = (g.d[r] + r + 1) % BASE;
  }
  bench_stop();

  uint64_t hash = 0, zeros = 0;
  for (size_t i = 0; i < p.len; i++) hash = hash * 1000003 + p.d[i];
  while (zeros < f.len && f.d[zeros] == 0) zeros++;
  printf("check bigmul %zu %zu %zu %llu %llu\n", f.len, g.len, p.len, (unsigned long long)hash,
         (unsigned long long)zeros);
  free(f.d);
  free(g.d);
  free(p.d);
  return 0;
}
