/* The sweep of the Himeno benchmark on static arrays: Jacobi's method with a stencil of 19
   points for the pressure of an incompressible fluid in curvilinear coordinates.

   -DN=... sets the size: a grid of (N + 1) x (N + 1) x (2 N + 1); -DSTEPS=... the number of
   sweeps; -DUSE_ACC, -DNO_PRAGMA as in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 32
#endif
#ifndef STEPS
#define STEPS 8
#endif
#define MI (N + 1)
#define MJ (N + 1)
#define MK (2 * N + 1)

static float p[MI][MJ][MK];
static float a[4][MI][MJ][MK], b[3][MI][MJ][MK], c[3][MI][MJ][MK];
static float bnd[MI][MJ][MK];
static float wrk1[MI][MJ][MK], wrk2[MI][MJ][MK];
static const float omega = 0.8f;

/* With sources in wrk1 and some of the mixed terms, so that no step is near 0. */
static void init(void) {
  for (int i = 0; i < MI; i++)
    for (int j = 0; j < MJ; j++)
      for (int k = 0; k < MK; k++) {
        uint64_t at = ((uint64_t)i * MJ + j) * MK + k;
        for (int m = 0; m < 3; m++) {
          a[m][i][j][k] = 1;
          b[m][i][j][k] = 0.1f * (float)uniform(m + 2, at);
          c[m][i][j][k] = 1;
        }
        a[3][i][j][k] = 1.0f / 6;
        bnd[i][j][k] = 1;
        wrk1[i][j][k] = (float)uniform(1, at);
        p[i][j][k] = (float)(i * i) / (float)((MI - 1) * (MI - 1));
      }
}

/* Gives the sum of the squared steps of the last sweep. */
static double jacobi(int steps) {
  double gosa = 0;
  int i, j, k, t;
#if defined(USE_ACC)
#pragma acc data copyin(a, b, c, bnd, wrk1) copy(p) create(wrk2)
#endif
  for (t = 0; t < steps; t++) {
    gosa = 0;
#if defined(USE_ACC)
#pragma acc parallel loop collapse(3) reduction(+ : gosa)
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
    for (i = 1; i < MI - 1; i++)
      for (j = 1; j < MJ - 1; j++)
        for (k = 1; k < MK - 1; k++) {
          float s0 = a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] +
                     a[2][i][j][k] * p[i][j][k + 1] +
                     b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] -
                                      p[i - 1][j + 1][k] + p[i - 1][j - 1][k]) +
                     b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] -
                                      p[i][j + 1][k - 1] + p[i][j - 1][k - 1]) +
                     b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] -
                                      p[i + 1][j][k - 1] + p[i - 1][j][k - 1]) +
                     c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] +
                     c[2][i][j][k] * p[i][j][k - 1] + wrk1[i][j][k];
          float ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bnd[i][j][k];
          gosa += ss * ss;
          wrk2[i][j][k] = p[i][j][k] + omega * ss;
        }
#if defined(USE_ACC)
#pragma acc parallel loop collapse(3)
#endif
    for (i = 1; i < MI - 1; i++)
      for (j = 1; j < MJ - 1; j++)
        for (k = 1; k < MK - 1; k++) p[i][j][k] = wrk2[i][j][k];
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
  }
  return gosa;
}

int main(void) {
  init();
  start();
  double gosa = jacobi(STEPS);
  stop();
  check("gosa", &gosa, 1);
  double *out = numbers((long)MI * MJ * MK);
  for (long i = 0; i < (long)MI * MJ * MK; i++) out[i] = (&p[0][0][0])[i];
  check("p", out, (long)MI * MJ * MK);
  free(out);
  return 0;
}
