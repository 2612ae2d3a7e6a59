/* Arrays of one dimension that programs use as several: edges, channels, records, widths that are
   computed in front. */
#include <stdio.h>
#include <stddef.h>

void halo(int nx, int ny, const double *restrict a, double *restrict b) {
#pragma scop
  for (int i = 1; i <= ny; i++)
    for (int j = 1; j <= nx; j++)
      b[i * (nx + 2) + j] = a[(i - 1) * (nx + 2) + j] + a[(i + 1) * (nx + 2) + j] + a[i * (nx + 2) + j - 1] -
                            a[i * (nx + 2) + j + 1];
#pragma endscop
}

void width(int nx, int ny, double *restrict b) {
  int w = nx + 2;
#pragma scop
  for (int i = 1; i <= ny; i++)
    for (int j = 1; j <= nx; j++)
      b[i * w + j] = b[i * w + j] * 0.5 + b[i * w];
#pragma endscop
}

void ghosts(int n, int m, const double *restrict a, double *restrict b) {
  int g, w, h;
  g = 2;
  w = n + 2 * g;
  h = m + 2 * g;
#pragma scop
  for (int i = g; i < h - g; i++)
    for (int j = g; j < w - g; j++)
      b[i * w + j] = a[(i - g) * w + j] + a[(i + g) * w + j] + a[i * w + j - g];
#pragma endscop
}

void colours(int w, int h, const unsigned char *restrict a, unsigned char *restrict b) {
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        b[(y * w + x) * 3 + c] = 255 - a[(y * w + w - 1 - x) * 3 + c];
#pragma endscop
}

void grey(int w, int h, const unsigned char *restrict a, unsigned char *restrict b) {
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      b[y * w + x] = (a[3 * (y * w + x)] * 2 + a[3 * (y * w + x) + 1] + a[3 * (y * w + x) + 2]) / 4;
#pragma endscop
}

void cube(int nx, int ny, int nz, const double *restrict a, double *restrict b) {
#pragma scop
  for (int k = 1; k <= nz; k++)
    for (int j = 1; j <= ny; j++)
      for (int i = 1; i <= nx; i++)
        b[(k * (ny + 2) + j) * (nx + 2) + i] = a[((k - 1) * (ny + 2) + j) * (nx + 2) + i] +
                                               a[(k * (ny + 2) + j + 1) * (nx + 2) + i] -
                                               a[(k * (ny + 2) + j) * (nx + 2) + i + 1];
#pragma endscop
}

/* The next row from its end: rows depend on each other. */
void rows(int n, int m, double *a) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[(i + 1) * n + n - 1 - j] = a[i * n + j] + 1;
#pragma endscop
}

/* Rows overlap: the last two of a row are the first of the next. */
void overlapping(int n, int m, double *a) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n + 2; j++)
      a[i * n + j] = a[i * n + j] + i;
#pragma endscop
}

void fields(int nx, int ny, double *restrict u) {
#pragma scop
  for (int j = 1; j < ny - 1; j++)
    for (int i = 1; i < nx - 1; i++)
      for (int m = 0; m < 5; m++)
        u[(j * nx + i) * 5 + m] = u[(j * nx + i) * 5 + m] * 2 + m;
#pragma endscop
}

void wide(int n, int m, double *restrict a, const double *restrict b) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = i; j < i + 5; j++)
      a[(m - i - 1) * (m + 5) + j] = b[i * (2 * m + 10) + 2 * j] + n;
#pragma endscop
}

/* Rows of m elements, ld from one to the next: it depends on the call whether they overlap. */
void strided(int n, int m, int ld, double *restrict a) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * ld + j] = a[i * ld + j] * 0.5 + i;
#pragma endscop
}

void product(int n, int m, int k, const double *restrict p, int lda, const double *restrict q, int ldb,
             double *restrict r, int ldc) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++)
        s += p[i * lda + l] * q[l * ldb + j];
      r[i * ldc + j] = s + (j > 0 ? r[i * ldc + j - 1] : 0);
    }
#pragma endscop
}

/* The same while the device has the array. */
void on_device(int n, int m, size_t ld, double *restrict a, double *restrict b) {
#pragma acc data copy(a[0 : 60000], b[0 : 60000])
  {
#pragma acc parallel loop
    for (int i = 0; i < 60000; i++)
      b[i] = b[i] + 1;
#pragma acc kernels
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[i * ld + j] = a[i * ld + j] * 0.5 + b[i];
#pragma acc parallel loop
    for (int i = 0; i < 60000; i++)
      b[i] = b[i] * 2;
  }
}

/* A part of a picture, from a corner that the call gives. */
void window(int x0, int y0, int w, int h, size_t stride, const unsigned char *restrict from, unsigned char *restrict to) {
#pragma scop
  for (int y = y0; y < y0 + h; y++)
    for (int x = x0; x < x0 + w; x++)
      to[y * stride + x] = 255 - from[y * stride + x];
#pragma endscop
}

/* Pointers and numbers that go on with each element. */
void walks(int n, const double *restrict from, double *restrict to) {
  const double *p = from;
  double *q = to + 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    *q++ = *p++ * 3;
    *q = p[1];
    q += 2;
  }
#pragma endscop
}

int counts(int n, int m, int k, double *restrict to) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 2; j <= n; j++) {
      to[k] = to[k] + j;
      k++;
    }
#pragma endscop
  return k;
}

/* Counters that are looked at behind their loops. */
int counters(int n, int m, double *restrict to) {
  int i, j, k = 0, l = 7;
#pragma scop
  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++)
      to[i * n + j] = k++;
    for (l = 2; l < 5; l++)
      to[i] = to[i] + l;
  }
#pragma endscop
  return i * 1000 + j * 100 + k * 10 + l;
}

void alpha(int w, int h, const unsigned char *restrict from, unsigned char *restrict to) {
  unsigned char *q = to;
  const unsigned char *p = from;
#pragma scop
  for (int i = 0; i < w * h; i++) {
    for (int c = 0; c < 3; c++)
      *q++ = *p++;
    *q++ = 255;
  }
#pragma endscop
}

#define SIZE 60000
static double a[SIZE], b[SIZE];
static unsigned char p[SIZE], q[SIZE];

static void fill(void) {
  for (int i = 0; i < SIZE; i++) {
    a[i] = (i * 7919) % 1009;
    b[i] = (i * 31) % 13;
    p[i] = i * 37 + i / 11;
    q[i] = i;
  }
}

static void say(const char *what) {
  unsigned long s = 0;
  for (int i = 0; i < SIZE; i++)
    s = s * 31 + (long)(a[i] * 4) + (long)(b[i] * 4) * 3 + p[i] * 5 + q[i] * 7;
  printf("%s %lu\n", what, s);
}

#define RUN(name, call) fill(), call, say(name)

int main(void) {
  for (int n = 1; n < 90; n = n * 3 + 1) {
    int m = n + 7;
    RUN("halo", halo(n, m, a, b));
    RUN("width", width(n, m, b));
    RUN("ghosts", ghosts(n, m, a, b));
    RUN("colours", colours(n, m, p, q));
    RUN("grey", grey(n, m, p, q));
    RUN("cube", cube(n < 30 ? n : 30, 9, 11, a, b));
    RUN("rows", rows(n, m, a));
    RUN("overlapping", overlapping(n, m, a));
    RUN("fields", fields(n, m, a));
    RUN("wide", wide(n, m, a, b));
    RUN("walks", walks(n, a, b));
    RUN("counts", a[7] += counts(n, m, 5, b));
    RUN("counts, none", a[7] += counts(1, m, 5, b));
    RUN("counts, less", a[7] += counts(-3, m, 5, b));
    RUN("counters", b[SIZE - 1] += counters(n, m, b));
    RUN("alpha", alpha(n, m, p, q));
    RUN("strided", strided(n, m, m, a));
    RUN("strided, apart", strided(n, m, m + 3, a));
    RUN("strided, overlapping", strided(n, m, m - 2, a));
    RUN("strided, one place", strided(n, m, 0, a));
    RUN("product", product(n, m, 5, a, 5, a, m, b, m + 1));
    RUN("product, overlapping", product(n, m, 5, a, 5, a, m, b, m - 1));
    RUN("on_device", on_device(n, m, m + 1, a, b));
    RUN("on_device, overlapping", on_device(n, m, m - 3, a, b));
    RUN("window", window(2, 3, n, m, n + 2, p, q));
    RUN("window, wide", window(2, 3, n, m, n + 1, p, q));
  }
  return 0;
}
