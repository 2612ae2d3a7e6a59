/* Powers of a matrix modulo a prime by squaring, and a vector times Kronecker products of it. */
#include "bench.h"

typedef uint64_t u64;

static const u64 P = 1000000007;

static u64 *identity(size_t n) {
  u64 *m = calloc(n * n, sizeof(u64));
  for (size_t i = 0; i < n; i++) m[i * n + i] = 1;
  return m;
}

static void product(size_t n, const u64 *a, const u64 *b, u64 *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      u64 s = 0;
      for (size_t k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        if (s >= 8 * P * P) s -= 8 * P * P;
      }
      c[i * n + j] = s % P;
    }
}

static u64 *power(size_t n, const u64 *m, u64 e) {
  u64 *r = identity(n), *b = malloc(n * n * sizeof(u64)), *t = malloc(n * n * sizeof(u64));
  for (size_t i = 0; i < n * n; i++) b[i] = m[i];
  while (e) {
    u64 *s;
    if (e & 1) {
      product(n, r, b, t);
      s = r, r = t, t = s;
    }
    product(n, b, b, t);
    s = b, b = t, t = s;
    e >>= 1;
  }
  free(b);
  free(t);
  return r;
}

/* y = (a x b) x without the product of a and b ever made. */
static void kron(size_t n, const u64 *a, const u64 *b, const u64 *x, u64 *y) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      u64 s = 0;
      for (size_t j = 0; j < n; j++) {
        if (!a[i * n + j]) continue;
        u64 inner = 0;
        for (size_t l = 0; l < n; l++) inner += b[k * n + l] * x[j * n + l] % P;
        s += a[i * n + j] * (inner % P) % P;
      }
      y[i * n + k] = s % P;
    }
}

int main(void) {
  size_t n = 76;
  u64 *m = malloc(n * n * sizeof(u64)), *x = malloc(n * n * sizeof(u64)), *y = malloc(n * n * sizeof(u64));
  for (size_t i = 0; i < n * n; i++) {
    m[i] = (u64)(bench_random(1, i) * 1e9);
    x[i] = i;
  }
  bench_start();
  u64 *p = power(n, m, 1000000000000039u);
  for (int r = 0; r < 3; r++) {
    kron(n, m, p, x, y);
    for (size_t i = 0; i < n * n; i++) x[i] = y[n * n - 1 - i];
  }
  bench_stop();
  u64 trace = 0, mix = 0;
  for (size_t i = 0; i < n; i++) trace += p[i * n + i];
  for (size_t i = 0; i < n * n; i++) mix = (mix * 31 + x[i]) % P;
  printf("check kroneckerpow %llu %llu\n", (unsigned long long)(trace % P), (unsigned long long)mix);
  free(m);
  free(x);
  free(y);
  free(p);
  return 0;
}
