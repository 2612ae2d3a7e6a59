/* Loops of which some iterations run by the one and some by the other. */
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>

#define N 70
static double a[N], b[N];
static int c[N], d[N], calls;
static unsigned char bytes[N];

/* A sum and a product that go on from one part to the next. */
static double carried(int n, double s) {
  double p = 1;
  for (int t = 0; t < n; t++) {
    for (int i = 1; i < N; i++) b[i] = 0.5 * (a[i - 1] + a[i]);
    for (int i = 1; i < N; i++) a[i] = b[i];
    s += a[t % N];
    p = p * 1.01 + s * 1e-9;
  }
  return s + p;
}

/* A counter of the function's own, that is read behind the loop. */
static int behind(int n) {
  int t;
  for (t = 0; t <= n; t++)
    for (int i = 0; i < N; i++) c[i] = c[i] * 3 + t;
  return t;
}

/* Another variable that moves with the counter. */
static int moves(int n) {
  int k = 3, x = 1;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < N; i++) c[i] = (c[i] ^ d[i]) + k;
    k += 5;
    x = c[k % N];
  }
  return k + x;
}

/* Nobody reads it behind the loop. */
static void unread(int n) {
  int k = 1;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < N; i++) c[i] = (c[i] * 3 + d[i] + k) & 0xfffff;
    k = (k * 7 + 1) & 0xffff;
  }
}

/* A pointer that moves, and two that change places. */
static void pointers(unsigned n, double *p, double *q) {
  const unsigned char *from = bytes;
  for (unsigned t = 0; t < n; t++) {
    for (int i = 1; i + 1 < N; i++) q[i] = 0.25 * (p[i - 1] + p[i + 1]) + *from;
    from++;
    double *other = p;
    p = q;
    q = other;
  }
  a[0] = p[N / 2];
}

/* What the last iteration leaves, and what only some do. */
static int last(size_t n) {
  int x = 0, when = -1;
  for (size_t t = 0; t < n; t++) {
    x = 0;
    for (int i = 1; i < N; i++) {
      c[i] = (c[i] + d[i] + (int)t) & 1023;
      if (c[i] > 990) x = c[i];
    }
    if (x && t % 3 == 0) when = (int)t;
  }
  return x * 1000 + when;
}

static void helper(int t) {
  calls++;
  for (int i = 0; i < N; i++) c[i] = (d[i] * 3 + c[i] + t) & 0xffff;
}

/* A function that changes a variable of the file. */
static void by_calls(int n) {
  for (int t = 0; t < n; t++) helper(t);
}

/* From another number than zero, to a bound that is computed. */
static void between(int from, int n) {
  for (int t = 2; t < n - from; t++)
    for (int i = 1; i < N; i++) b[i] = b[i] * 0.75 + a[i - 1] * 0.25 + t;
}

/* Rows that are found while it runs. */
static long ragged(int n) {
  long sum = 0;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < N; i++) {
      int k = i;
      while (d[k] & 2) k = (k + 1) % N;
      c[i] = (c[i] + k + t) & 1023;
    }
    sum += c[t % N];
    d[t % N] ^= 5;
  }
  return sum;
}

static void show(const char *what, double x) {
  long sum = calls;
  double d = x;
  for (int i = 0; i < N; i++) sum = sum * 31 + c[i], d = d * 0.9 + a[i] + b[i];
  printf("%s %.17g %ld %d\n", what, d, sum, calls);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50;
  for (int i = 0; i < N; i++) a[i] = i % 7, b[i] = i % 5, c[i] = i % 11, d[i] = i % 13, bytes[i] = (unsigned char)(i * 37);
  for (int k = 0; k < 3; k++) {
    show("carried", carried(n, k));
    show("behind", behind(n));
    show("moves", moves(n));
    unread(n), show("unread", 0);
    pointers(n, a, b), show("pointers", 0);
    show("last", last(n));
    by_calls(n), show("by_calls", 0);
    between(k - 1, n), show("between", 0);
    show("ragged", ragged(n));
  }
  return 0;
}
