/* What once was taken from how a value was widened, not from its type, and code that hands
   values of mixed types round. */
#include <stdio.h>

/* Comparisons of sign-extended values as unsigned numbers. */
static signed char c[4] = {-5, -5, -5, -5}, d[4] = {3, 3, 3, 3};
static short s[4] = {-5, 1, 2, 3};
static int r[4], t[4];
static long u[4];
static double v[4];

static void compares(void) {
#pragma scop
  for (int i = 0; i < 4; i++) {
    r[i] = (unsigned)c[i] > (unsigned)d[i];
    t[i] = (unsigned)s[i] > (unsigned)s[3];
  }
#pragma endscop
  printf("%d %d %d %d\n", r[0], r[1], t[0], t[1]);
}

static void chooses(unsigned n, int k) {
#pragma scop
  for (int i = 0; i < 4; i++) {
    r[i] = (1 ? (unsigned)c[i] : n) > (unsigned)d[i];
    t[i] = (k ? (unsigned)c[i] : n) > (unsigned)d[i];
    u[i] = 1 ? (unsigned)c[i] : n;
    v[i] = (1 ? c[i] : 0.5) / 2;
  }
#pragma endscop
  printf("%d %d %ld %g\n", r[0], t[0], u[0], v[0]);
}

/* The same behind a condition and a counter that counts down to zero. */
static int g0[6][8][10];
static signed char g3[12][20];
static long g5[6][8][10];

static void guarded(unsigned n, int m) {
#pragma acc kernels
  for (unsigned long i = 1; i-- > 0;) {
    if ((int)(float)m == g0[2][5][i]) {
    } else {
      if ((1 ? (unsigned)g3[0][-3 & 15] : n) > (unsigned)g3[i][i]) {
        g5[1][5][1] = 1;
      }
    }
  }
  printf("%ld\n", g5[1][5][1]);
}

/* A long that is an int, or a constant, in nested switches. */
static float f[64];
static int gp[8] = {5, -7, 0, 0, 0, 0, 3};

static double mixed(long p) {
  return (double)gp[6] >= (double)p ? 1
                                    : (double)(p <= gp[6] ? gp[1] : p) * 4.76837158203125e-07;
}

static void nested(int n, int k) {
#pragma acc kernels
  for (int i = 1; i <= n; i <<= 1) {
    switch (k) {
    case 12:
      f[i] = 2;
      break;
    default: {
      switch (11) {
      default: {
        f[i] = 1 * (float)mixed(i);
      }
      }
    }
    }
  }
  for (int i = 1; i <= n; i <<= 1)
    printf("%a ", (double)f[i]);
  printf("\n");
}

/* Ternaries whose arms are loads of several types, in and out of loops. */
static void arms(int n, const short *restrict a, const long *restrict b, const float *restrict x,
                 double *restrict y, long *restrict z) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    long w = a[i] > 2 ? a[i] : b[i];
    y[i] = a[i] < 1 ? (double)(w ? b[i] : a[i]) : (double)x[i];
    for (int j = 0; j < 3; j++)
      w = w > a[j] ? (b[j] < a[i] ? a[i] : w + 1) : (j & 1 ? b[i] : a[j]);
    z[i] = w;
  }
  for (int i = 0; i < n; i++)
    printf("%g %ld ", y[i], z[i]);
  printf("\n");
}

int main(void) {
  static const short a[8] = {0, 1, 2, 3, -1, -32768, 32767, 7};
  static const long b[8] = {5, -5, 1L << 40, -3, 0, 2, -(1L << 35), 1};
  static const float x[8] = {0.5F, 1.5F, -2.5F, 3, 4, 5, 6, 7};
  static double y[8];
  static long z[8];
  g3[0][13] = -4;
  compares();
  chooses(7, 1);
  guarded(6, 8);
  nested(8, 11);
  nested(8, 12);
  arms(8, a, b, x, y, z);
  return 0;
}
