// The greatest element and where it is, in the ways that people write it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 9000

static double a[N];
static float f[N];
static int g[N];
static unsigned u[N];
static double m[40][130];

static int beside(int n) { double t = a[0]; int k = 0; for (int i = 1; i < n; i++) if (a[i] > t) { t = a[i]; k = i; } return k + (signbit(t) ? 100000 : 0); }
static int at_place(int n) { int k = 0; for (int i = 1; i < n; i++) if (a[i] > a[k]) k = i; return k; }
static int least_at_place(int n) { int k = 0; for (int i = 1; i < n; i++) if (f[i] < f[k]) k = i; return k; }
static int last(int n) { double t = -INFINITY; int k = -1; for (int i = 0; i < n; i++) if (a[i] >= t) { t = a[i]; k = i; } return k; }
static int absolute(int n) { double t = fabs(a[0]); int k = 0; for (int i = 1; i < n; i++) { double v = fabs(a[i]); if (v > t) { k = i; t = v; } } return k; }
static int turned(int n) { double t = 1e300; int k = -7; for (int i = 0; i < n; i++) if (t > a[i]) { t = a[i]; k = 3 * i + 1; } return k; }
static int whole(int n) { int t = g[0], k = 0; for (int i = 1; i < n; i++) if (g[i] > t) { t = g[i]; k = i; } return k * 8 + (t & 7); }
static int natural(int n) { unsigned t = 0, k = 999; for (int i = 0; i < n; i++) if (u[i] >= t) { t = u[i]; k = i; } return (int)(k + t); }
static int both(int n) { double lo = a[0], hi = a[0]; int kl = 0, kh = 0; for (int i = 1; i < n; i++) { if (a[i] < lo) { lo = a[i]; kl = i; } if (a[i] > hi) { hi = a[i]; kh = i; } } return kl * 10000 + kh; }
static int places(int r, int c) { double t = -1e9; int x = -1, y = -1; for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) if (m[i][j] > t) { t = m[i][j]; x = i; y = j; } return x * 1000 + y; }
static int sum_of_rows(int r, int c) { int s = 0; for (int i = 0; i < r; i++) { int k = 0; for (int j = 1; j < c; j++) if (m[i][j] > m[i][k]) k = j; s += (i + 1) * k; } return s; }
static void each_row(int r, int c, int *at) { for (int i = 0; i < r; i++) { int k = 0; double t = m[i][0]; for (int j = 1; j < c; j++) if (m[i][j] > t) { t = m[i][j]; k = j; } at[i] = k; } }
static void each_column(int r, int c, int *at) { for (int j = 0; j < c; j++) { int k = 0; for (int i = 1; i < r; i++) if (fabs(m[i][j]) > fabs(m[k][j])) k = i; at[j] = k; } }
static double nearest(int n, double p) { double best = INFINITY; int k = -1; for (int i = 0; i < n; i++) { double d = (a[i] - p) * (a[i] - p); if (d < best) { best = d; k = i; } } return best + k; }
static int payload(int n) { double t = a[0]; int w = 17; for (int i = 1; i < n; i++) if (a[i] > t) { t = a[i]; w = g[n - 1 - i]; } return w; }
static int triangle(int n) { double t = -1; int x = -1, y = -1; for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (m[i][j] > t) { t = m[i][j]; x = i; y = j; } return x * 1000 + y; }

static void fill(int how) {
  unsigned s = 12345u + (unsigned)how;
  for (int i = 0; i < N; i++) {
    s = s * 1664525u + 1013904223u;
    int r = (int)(s >> 16) % (how % 3 == 0 ? 7 : 30000);
    a[i] = how == 4 ? (r % 2 ? -0.0 : 0.0) : how == 5 ? NAN : how == 6 && r % 3 ? NAN : r - 3;
    if (how == 7)
      a[i] = r % 5 ? -INFINITY : NAN;
    if (how == 8 && i < 3)
      a[i] = NAN;
    f[i] = (float)a[i];
    g[i] = r - 9;
    u[i] = s >> (how & 7);
    if (i < 40 * 130)
      ((double *)m)[i] = a[i] * (i % 3 - 1);
  }
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 17, 130, 1025, 4095, 4096, 4097, 9000};
  int at[130];
  for (int how = 0; how < 9; how++) {
    fill(how);
    for (int q = 0; q < 10; q++) {
      int n = sizes[q], r = n % 39 + 1, c = n < 130 ? n : 130;
      unsigned t = 0;
      printf("%d %d: %d %d %d %d %d %d", how, n, beside(n), at_place(n), least_at_place(n), last(n), absolute(n), turned(n));
      printf(" %d %d %d %d %d %g %d %d", whole(n), natural(n), both(n), places(r, c), sum_of_rows(r, c), nearest(n, how), payload(n), triangle(r));
      each_row(r, c, at);
      for (int i = 0; i < r; i++) t = t * 3 + (unsigned)at[i];
      each_column(r, c, at);
      for (int i = 0; i < c; i++) t = t * 3 + (unsigned)at[i];
      printf(" %u\n", t);
    }
    printf("%d none: %d %d %d %d\n", how, last(0), turned(0), places(0, 5), places(3, 0));
  }
  return 0;
}
