/* Subscripts of unsigned numbers, which start again at 0 behind 2^32 - 1: rows, mirrored rows, halves, parts of
   others, in the sizes that people have, and in sizes at which they do start again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned *make(unsigned n, unsigned seed) {
  unsigned *a = malloc(n * sizeof *a);
  for (unsigned i = 0; i < n; i++) a[i] = seed = seed * 1664525u + 1013904223u;
  return a;
}

static void check(const char *name, const unsigned *a, unsigned n) {
  unsigned long long sum = 1469598103934665603ull;
  for (unsigned i = 0; i < n; i++) sum = (sum ^ a[i]) * 1099511628211ull;
  printf("%s %llx\n", name, sum);
}

static void rows(unsigned n, unsigned m, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) a[i * m + j] = 2 * b[i * m + j] + i * m;
#pragma endscop
}

static void mirrored(uint32_t w, uint32_t h, uint32_t *a, const uint32_t *b) {
#pragma scop
  for (uint32_t y = 0; y < h; y++) {
    uint32_t *r = a + y * w;
    const uint32_t *q = b + (h - 1 - y) * w;
    for (uint32_t x = 0; x < w; x++) r[x] = q[w - 1 - x];
  }
#pragma endscop
}

static void inner(unsigned n, unsigned m, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 1; i < n - 1; i++)
    for (unsigned j = 1; j < m - 1; j++)
      a[i * m + j] = b[(i - 1) * m + j] + b[(i + 1) * m + j] + b[i * m + j - 1] + b[i * m + j + 1];
#pragma endscop
}

static void upper_half(unsigned n, unsigned *a) {
#pragma scop
  for (unsigned i = 0; i < n; i++) a[i + n] = a[i] + 1;
#pragma endscop
}

static void packed(unsigned n, unsigned *l, const unsigned *x) {
#pragma scop
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j <= i; j++) l[i * (i + 1) / 2 + j] = x[i] * x[j];
#pragma endscop
}

static void halves(unsigned n, unsigned m, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) a[i * m + j] += b[(i >> 1) * (m / 2) + j / 2] + b[(i << 1) % n];
#pragma endscop
}

/* `by` is small, or so large that i * by starts again. */
static void parts(unsigned n, unsigned by, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 0; i < n; i++) a[i] = b[i * by / 268435456u] + b[(i * by) & 15];
#pragma endscop
}

/* `k` is a signed or an unsigned number below 0. */
static void shifted(int n, int k, unsigned u, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 4; i < (unsigned)n; i++) a[i] = b[i + k] + b[i + u];
#pragma endscop
}

/* With less than two elements the bound starts again. It is left by the condition. */
static unsigned until(unsigned n, unsigned *a) {
  unsigned last = 0;
#pragma scop
  for (unsigned i = 0; i < n - 1; i++) {
    if (i > 20) break;
    a[i + 1] = a[i] + 1;
    last = i;
  }
#pragma endscop
  return last;
}

static void guarded(unsigned n, unsigned m, unsigned *a, const unsigned *b) {
#pragma scop
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) {
      unsigned s = b[i * m + j];
      if (j > 0) s += b[i * m + j - 1];
      if (i > 0) s += b[(i - 1) * m + j];
      if (j + 1 < m) s += b[i * m + j + 1];
      a[i * m + j] = s;
    }
#pragma endscop
}

static void wide(unsigned n, unsigned m, unsigned *a, const unsigned *b) {
#pragma scop
  for (size_t i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) a[i * m + j] = b[(size_t)(j * n) + i];
#pragma endscop
}

int main(void) {
  enum { N = 40000 };
  unsigned *a = make(N, 1), *b = make(N, 2);
  for (unsigned n = 0; n < 90; n += 29)
    for (unsigned m = 0; m < 70; m += 23) {
      rows(n, m, a, b);
      check("rows", a, N);
      mirrored(m, n, a, b);
      check("mirrored", a, N);
      if (n > 1 && m > 1) inner(n, m, a, b);
      check("inner", a, N);
      upper_half(n * m, a);
      check("upper_half", a, N);
      packed(n + m, a, b);
      check("packed", a, N);
      halves(n, m, a, b);
      check("halves", a, N);
      guarded(n, m, a, b);
      check("guarded", a, N);
      wide(n, m, a, b);
      check("wide", a, N);
    }
  unsigned by[] = {0, 1, 77, 0x7fffffff, 0x80000001, 0xc0000005};
  for (unsigned i = 0; i < sizeof by / sizeof *by; i++) {
    parts(1000, by[i], a, b);
    check("parts", a, N);
  }
  for (int k = -4; k < 5; k += 2) {
    shifted(900, k, (unsigned)-k, a, b);
    check("shifted", a, N);
  }
  for (unsigned n = 0; n < 30; n += 7) printf("%u\n", until(n, a));
  check("until", a, N);
  return 0;
}
