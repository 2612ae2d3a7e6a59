/* Rows of all lengths from 0 on, whose last vector overlaps the one before, with arrays that are
   one, lie apart, or follow one another; triangles with rows that have nothing; and colours. */
#include <stdio.h>
#include <string.h>

#define N 37
#define M 41

static float a[N * M + 64], b[N * M + 64], c[N * M + 64];
static short s[N * M + 64], t[N * M + 64];

static void twice(int n, float *x, float *y) {
  for (int j = 0; j < n; j++) x[j] = y[j] * 2 + 1;
}

static void in_place(int from, int n, short *x) {
  for (int j = from; j < n; j++) x[j] = 3 * x[j] + 1;
}

static void ahead(int n, short *x) {
  for (int j = 0; j < n - 1; j++) x[j] = x[j + 1] + 1;
}

static void two(int n, float *x, float *y, float *z) {
  for (int j = 1; j < n; j++) {
    x[j] = z[j] + 1;
    y[j] = x[j - 1] * 0.5f;
  }
}

static void triangle(int n, int m, float x[n][m], float y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < m; j++) x[i][j] = y[i][j] + 1;
}

static void below(int n, int m, float x[n][m], float y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 5; j < i - 3; j++)
      if (j < m) x[i][j] = y[i][j] - 1;
}

static void colours(int n, int m, int colour, float x[restrict n][m], float y[restrict n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      if ((i + j) % 2 == 0)
        x[i][j] = 0.25f * (y[i - 1][j] + y[i + 1][j] + y[i][j - 1] + y[i][j + 1]);
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      if ((i + j + colour) & 1) y[i][j] = x[i][j] + 1;
}

static void thirds(int n, short *restrict x, short *restrict y) {
  for (int j = 2; j < n; j++)
    if (j % 3 == 1) x[j] = y[j] + 1;
  for (int j = 0; j < n; j++)
    if (j) x[j] += y[j - 1];
  for (int j = 0; j < n; j++)
    if (j % 2 != 1) x[j] -= y[j];
}

static void halves(int n, int m, float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i * m + j] = y[(i / 2) * m + j] + y[(i % 8) * m + j];
}

static void smaller(int n, int m, float *restrict x, float *restrict y) {
  for (int i = 0; i < n / 2; i++)
    for (int j = 0; j < m / 2; j++)
      x[i * (m / 2) + j] = y[2 * i * m + 2 * j] + y[(2 * i + 1) * m + 2 * j + 1];
}

static void wider(int n, int m, float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i * m + j] = y[(i >> 1) * (m >> 1) + (j >> 1)];
}

static void every_other(int n, short *restrict x, short *restrict y) {
  for (int j = 1; j < n; j += 2) x[j] = y[j / 2] + 1;
  for (int j = n - 1; j >= 0; j -= 3) x[j] += 2;
}

/* A sweep in place beside loops that have their iterations in any order. */
static void mixed(int n, int m, short *x, short *y, short *z) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < m; j++) z[i * m + j] += x[(j % 8) * m + j];
  for (int i = 0; i < n; i++)
    for (int j = i; j < m; j++) y[i * m + j] = z[j + 2];
  for (int k = 0; k < 3; k++)
    for (int i = 1; i < n - 1; i++)
      for (int j = m - 2; j >= 1; j--)
        x[i * m + j] = (x[i * m + j] + x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] +
                        x[i * m + j + 1]) / 5;
}

static void fill(void) {
  for (int i = 0; i < N * M + 64; i++) {
    a[i] = i % 17;
    b[i] = i % 23 - 5;
    c[i] = i % 11;
    s[i] = i % 31;
    t[i] = i % 13 - 4;
  }
}

static void show(const char *name, int n) {
  double sum = 0;
  for (int i = 0; i < N * M + 64; i++)
    sum = sum * 0.999 + a[i] + 2 * b[i] + 3 * c[i] + 5 * s[i] + 7 * t[i];
  printf("%s %d %.6f\n", name, n, sum);
}

int main(void) {
  for (int n = 0; n < 41; n++) {
    fill();
    twice(n, a, b);
    show("apart", n);
    twice(n, b, b);
    show("one", n);
    twice(n, b + 1, b);
    show("behind", n);
    in_place(n / 5, n, s);
    show("in place", n);
    ahead(n, s);
    show("ahead", n);
    two(n, a, b, c);
    show("two", n);
    two(n, a, b, a);
    show("two of one", n);
    thirds(n, s, t);
    show("thirds", n);
    every_other(n, t, s);
    show("every other", n);
  }
  for (int m = 0; m <= M; m += 3) {
    fill();
    triangle(N, m, (void *)a, (void *)b);
    show("triangle", m);
    triangle(N, m, (void *)a, (void *)a);
    show("triangle in place", m);
    below(N, m, (void *)a, (void *)c);
    show("below", m);
    colours(N, m, m, (void *)a, (void *)b);
    show("colours", m);
    halves(N, m, c, b);
    show("halves", m);
    smaller(N, m, c, b);
    show("smaller", m);
    wider(N, m, c, b);
    show("wider", m);
    if (m >= 8) mixed(N, m, s, t, s + 40);
    if (m >= 8) mixed(N, m, s, t, t);
    show("mixed", m);
  }
  return 0;
}
