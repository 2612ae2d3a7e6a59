#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 3000
#define SWAP(a, b)    \
  do {                \
    uint32_t t_ = a;  \
    a = b;            \
    b = t_;           \
  } while (0)

static double d[N];
static float f[N];
static uint32_t u[N];
static uint64_t w[N];
static int kinds[N], single[N], counts[N], others[N];
static uint32_t turned[N];
static uint64_t long_turned[N];

static void classify(void) {
#pragma acc parallel loop copyin(d, f) copyout(kinds, single)
  for (int i = 0; i < N; i++) {
    int k = 0;
    if (isnan(d[i])) k |= 1;
    if (isinf(d[i])) k |= d[i] > 0 ? 2 : 4;
    if (isfinite(d[i])) k |= 8;
    if (isnormal(d[i])) k |= 16;
    if (signbit(d[i])) k |= 32;
    if (isunordered(d[i], d[(i + 1) % N])) k |= 64;
    if (islessgreater(d[i], d[(i + 1) % N])) k |= 128;
    kinds[i] = k;
    single[i] = (isnan(f[i]) != 0) + 2 * (isinf(f[i]) != 0) + 4 * (isfinite(f[i]) != 0) +
                8 * (isnormal(f[i]) != 0) + 16 * (signbit(f[i]) != 0);
  }
}

static void bits(void) {
#pragma acc parallel loop copyin(u, w) copyout(counts, others, turned, long_turned)
  for (int i = 0; i < N; i++) {
    uint32_t x = u[i], y = u[N - 1 - i];
    SWAP(x, y);
    counts[i] = __builtin_popcount(x) + 100 * __builtin_popcountll(w[i]) + 10000 * __builtin_parity(x);
    others[i] = __builtin_ffs((int)y) + 100 * __builtin_ffsll((long long)w[i]) +
                (x ? 10000 * __builtin_clz(x) + 1000000 * __builtin_ctz(x) : 0) + __builtin_clrsb((int)y) +
                (w[i] ? __builtin_clzll(w[i]) + 7 * __builtin_ctzl(w[i]) : 0);
    turned[i] = __builtin_bswap32(x) ^ __builtin_bswap16((uint16_t)y);
    long_turned[i] = __builtin_bswap64(w[i]);
  }
}

int main(void) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 1e-310, -1e-310, 1e308, -1e-300};
  uint64_t s = 88172645463325252u;
  for (int i = 0; i < N; i++) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    d[i] = i % 11 < 8 ? special[i % 11] : i % 11 == 8 ? NAN : i % 11 == 9 ? INFINITY : -INFINITY;
    f[i] = i % 13 == 0 ? (float)-1e-40 : (float)d[i];
    w[i] = i % 17 ? s >> s % 64 : 0;
    u[i] = i % 19 ? (uint32_t)(s >> 20) >> s % 32 : 0;
  }
  classify();
  bits();
  uint64_t h = 0;
  for (int i = 0; i < N; i++) {
    h = h * 31 + kinds[i] + 1000 * single[i];
    h = h * 31 + (uint32_t)counts[i];
    h = h * 31 + (uint32_t)others[i];
    h = (h * 31 + turned[i]) * 31 + long_turned[i];
  }
  for (int i = 0; i < 24; i++) printf("%d %d %d %d %08x\n", kinds[i], single[i], counts[i], others[i], turned[i]);
  printf("%016llx\n", (unsigned long long)h);
  return 0;
}
