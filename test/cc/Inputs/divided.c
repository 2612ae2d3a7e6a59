/* Remainders and quotients by what may be 0, in loops and under conditions that keep them from being computed
   then. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int a[400], b[400];

static void shifted(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = b[i + m % n] + m / n;
#pragma endscop
}

static void natural(size_t n, size_t m) {
#pragma scop
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) a[i] += b[m % n + j / m * n + j];
#pragma endscop
}

static void chosen(int n, int m) {
#pragma scop
  for (int i = 0; i < 300; i++) a[i] = n ? m % n + b[i] : i;
#pragma endscop
}

static void asked(int n, int m) {
#pragma scop
  for (int i = 0; i < 300; i++) {
    int s = b[i];
    if (n > i % 7) s += m % n;
    a[i] = s;
  }
#pragma endscop
}

static void each(const int *by) {
#pragma scop
  for (int i = 0; i < 300; i++)
    if (by[i] != 0) a[i] = b[i] % by[i];
#pragma endscop
}

static void least(int n, int m) {
#pragma scop
  for (int i = 0; i < 300; i++)
    if (n != -1) a[i] = m % n + i;
#pragma endscop
}

static void show(const char *name) {
  unsigned long long s = 0;
  for (int i = 0; i < 400; i++) s = s * 31 + (unsigned)a[i];
  printf("%s %llx\n", name, s);
}

int main(void) {
  static int by[400];
  for (int i = 0; i < 400; i++) {
    b[i] = i * 37 % 101 - 20;
    by[i] = i % 5;
  }
  static const int sizes[][2] = {{0, 3}, {0, 0}, {1, 7}, {9, 100}, {200, 150}};
  for (int k = 0; k < 5; k++) {
    int n = sizes[k][0], m = sizes[k][1];
    shifted(n, m);
    show("shifted");
    natural((size_t)n, (size_t)m);
    show("natural");
    chosen(n, m);
    show("chosen");
    asked(n, m);
    show("asked");
  }
  each(by);
  show("each");
  least(-1, INT_MIN);
  show("least");
  least(7, INT_MIN);
  show("least");
  return 0;
}
