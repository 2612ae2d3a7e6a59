/* What programs say without saying it: reductions that no clause names, records that
   functions return, searches that leave early. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#define N 500
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct {
  double re, im;
} complex_t;

typedef struct {
  float x, y, z;
} vec_t;

static double a[N], b[N][N / 10];
static complex_t z[N];
static vec_t v[N];

static complex_t mul(complex_t p, complex_t q) {
  complex_t r = {p.re * q.re - p.im * q.im, p.re * q.im + p.im * q.re};
  return r;
}

static complex_t power(complex_t p, int n) {
  if (n == 0) return (complex_t){1, 0};
  complex_t r = p;
  for (int i = 1; i < n; i++) r = mul(r, p);
  return r;
}

static vec_t cross(vec_t p, vec_t q) {
  return (vec_t){p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}

static int first_above(const double *row, int n, double limit) {
  for (int i = 0; i < n; i++)
    if (row[i] > limit) return i;
  return -1;
}

static void implied(void) {
  double worst = 0, sum = 1, low = DBL_MAX, product = 1;
  int count = 0, bits = 0;
#pragma acc parallel loop
  for (int i = 1; i < N - 1; i++) {
#pragma acc loop
    for (int j = 0; j < N / 10; j++) {
      worst = fmax(worst, fabs(b[i][j] - b[i - 1][j]));
      sum += b[i][j];
    }
    if (a[i] < low) low = a[i];
    if (a[i] > 3) count++;
    bits |= i & 12;
  }
#pragma acc parallel
#pragma acc loop gang vector
  for (int i = 0; i < 20; i++) product *= 1 + a[i] / 64;
  int best = 0;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) best = MAX(best, (i * 37) % 101);
  printf("%.6f %.6f %.6f %d %d %.9f %d\n", worst, sum, low, count, bits, product, best);
}

static void records(void) {
#pragma acc parallel loop
  for (int i = 0; i < N; i++) z[i] = power(z[i], i % 4);
#pragma acc parallel loop
  for (int i = 0; i < N; i++) v[i] = cross(v[i], cross(v[i], (vec_t){1, 0, 2}));
  double s = 0, t = 0;
  for (int i = 0; i < N; i++) {
    s += z[i].re + 2 * z[i].im;
    t += v[i].x + 2 * v[i].y + 3 * v[i].z;
  }
  printf("%.9f %.4f\n", s, t);
}

/* In the style of before 1989, which no region needs. */
static int twice(n, more) int n;
int more;
{ return 2 * n + more; }

static void searches(void) {
  int at[N], found = 0;
  long sum = 0;
  double *row;
#pragma acc parallel loop copyout(at)
  for (int i = 0; i < N; i++) at[i] = first_above(b[i], N / 10, 2 + i % 5);
  for (int i = 0; i < N; i++) sum += at[i] * (i + 1L);
#pragma acc kernels
#pragma acc loop independent private(row)
  for (int i = 0; i < N; i++) {
    row = b[i];
    if (row[3] > 4.5) found = 1;
    row[0] = row[1] + row[2];
  }
  printf("%ld %d %d %.2f\n", sum, found, twice(21, 1), b[7][0]);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i % 7 - 0.5;
    for (int j = 0; j < N / 10; j++) b[i][j] = (i * 13 + j * 7) % 11 * 0.5;
    z[i] = (complex_t){0.5 + i % 3, 0.25 * (i % 5)};
    v[i] = (vec_t){i % 3, i % 4, i % 5};
  }
  implied();
  records();
  searches();
  return 0;
}
