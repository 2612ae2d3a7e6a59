/* Arrays that regions overwrite, wholly or in part. Elements that no region writes hold a
   value of their own, which has to be there afterwards. Prints all elements. */
#include <stdio.h>

#define N 12
#define M 9

static double a[N][M], b[N][M], v[N];
static double whole[N];

static void start(void)
{
  for (int i = 0; i < N; i++) {
    v[i] = 3000 + i;
    whole[i] = 4000 + i;
    for (int j = 0; j < M; j++) {
      a[i][j] = 1000 + i * M + j;
      b[i][j] = (i * 7 + j * 5) % 11;
    }
  }
}

static void show(const char *name, int n, int m)
{
  printf("%s %d %d:", name, n, m);
  for (int i = 0; i < N; i++) {
    printf(" %g %g", v[i], whole[i]);
    for (int j = 0; j < M; j++) printf(" %g %g", a[i][j], b[i][j]);
  }
  printf("\n");
}

/* All columns where m is 9. */
static void box(int n, int m, double a[N][M], double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = b[i][j] + 1;
#pragma endscop
}

/* Read after it is written, in another nest. */
static void read_later(int n, int m, double a[N][M], double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += 2 * b[i][j];
#pragma endscop
}

/* The rows that are read are not those that were written. */
static void read_more(int n, int m, double a[N][M], double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) a[i][j] = i - j;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < M; j++) b[i][j] = a[i][j];
#pragma endscop
}

static void triangle(int n, double a[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) a[i][j] = i + j;
#pragma endscop
}

/* Both triangles and the diagonal: whole where n is 9. */
static void symmetric(int n, double a[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i][i] = 1;
    for (int j = i + 1; j < n; j++) {
      a[i][j] = i * j;
      a[j][i] = a[i][j];
    }
  }
#pragma endscop
}

/* A condition on what is in memory, and one on a number. */
static void sometimes(int n, int m, double a[N][M], double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      if (b[i][j] > 4) a[i][j] = 5;
#pragma endscop
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      if (m > 5) b[i][j] = i;
#pragma endscop
}

/* Every second element. */
static void steps(int n, double *v)
{
#pragma scop
  for (int i = 0; i < n; i += 2) v[i] = -i;
#pragma endscop
}

/* Both halves, the second first. */
static void halves(int n, int m, double *v)
{
#pragma scop
  for (int i = m; i < n; i++) v[i] = -i;
  for (int i = 0; i < m; i++) v[i] = i;
#pragma endscop
}

/* An array whose size is known. */
static void known(int n)
{
#pragma scop
  for (int i = 0; i < n; i++) whole[i] = 2 * i;
#pragma endscop
}

static void all(void)
{
#pragma scop
  for (int i = 0; i < N; i++) {
    whole[i] = 0;
    for (int j = 0; j < M; j++) whole[i] += b[i][j];
  }
#pragma endscop
}

/* An array of the function's own. */
static void own(int n, double *v, double b[N][M])
{
  double t[N], u[N];
#pragma scop
  for (int i = 0; i < N; i++) t[i] = b[i][0] + 1;
  for (int i = 0; i < N; i++) u[i] = b[i][1] - 1;
  for (int i = 0; i < n; i++) v[i] = t[i] * u[i];
#pragma endscop
  if (n > 0) v[0] += u[n - 1];
}

/* One that keeps its values from one run of the region to the next. */
static void kept(int n, double *v)
{
  double t[N] = {1, 2, 3};
  for (int k = 0; k < 3; k++) {
#pragma scop
    for (int i = 0; i < n; i++) {
      v[i] = t[i];
      t[i] = v[i] + i;
    }
#pragma endscop
  }
}

/* Rows of a length that is an argument. */
static void rows(int n, int m, int length, double a[n][length])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i - j;
#pragma endscop
}

/* Sums that begin at zero, and sums that do not. */
static void sums(int n, double *v, double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    v[i] = 0;
    for (int j = 0; j < M; j++) v[i] += b[i][j];
  }
#pragma endscop
}

static void more(int n, double *v, double b[N][M])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) v[i] += b[i][j];
#pragma endscop
}

/* p and q may be the same array, or overlap. */
static void copy(int n, double *p, double *q)
{
#pragma scop
  for (int i = 0; i < n; i++) p[i] = q[i] + 1;
#pragma endscop
}

/* It ends early. */
static void until(double b[N][M])
{
#pragma acc serial
  for (int i = 0; i < N; i++) {
    if (b[i][0] > 9) break;
    whole[i] = 7;
  }
}

/* What the author says stays. */
static void said(int n, double *v)
{
#pragma acc kernels copy(v[0:12])
  for (int i = 0; i < n; i++) v[i] = 9;
}

int main(void)
{
  static const int sizes[][2] = {{12, 9}, {12, 8}, {9, 9}, {9, 4}, {5, 9}, {1, 1}, {0, 0}, {0, 9}, {9, 0}};
  for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    int n = sizes[k][0], m = sizes[k][1], low = n < M ? n : M;
    start(); box(n, m, a, b); show("box", n, m);
    start(); read_later(n, m, a, b); show("read_later", n, m);
    start(); read_more(n, m, a, b); show("read_more", n, m);
    start(); triangle(low, a); show("triangle", low, m);
    start(); symmetric(low, a); show("symmetric", low, m);
    start(); sometimes(n, m, a, b); show("sometimes", n, m);
    start(); steps(n, v); show("steps", n, m);
    start(); halves(n, m, v); show("halves", n, m);
    start(); known(n); show("known", n, m);
    start(); all(); show("all", n, m);
    start(); own(n, v, b); show("own", n, m);
    start(); kept(n, v); show("kept", n, m);
    start(); if (n > 0) rows(n, m, M, a); show("rows", n, m);
    start(); sums(n, v, b); show("sums", n, m);
    start(); more(n, v, b); show("more", n, m);
    start(); copy(n, v, whole); show("copy", n, m);
    start(); copy(n, v, v); show("copy onto itself", n, m);
    start(); copy(n > 3 ? n - 3 : 0, v + 3, v); show("copy into itself", n, m);
    start(); until(b); show("until", n, m);
    start(); said(n, v); show("said", n, m);
  }
  return 0;
}
