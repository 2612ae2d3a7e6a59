/* Block tridiagonal systems (4 x 4 blocks) along the lines of a grid, as implicit flow codes solve. */
#include "bench.h"

#define B 4
#define LINES 250
#define POINTS 48

static double lower[LINES][POINTS][B][B], diag[LINES][POINTS][B][B], upper[LINES][POINTS][B][B];
static double rhs[LINES][POINTS][B], keep[LINES][POINTS][B];

/* m = m - a * b */
static void matmul_sub(double a[B][B], double b[B][B], double m[B][B]) {
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++) m[i][j] = m[i][j] - a[i][0] * b[0][j] - a[i][1] * b[1][j] - a[i][2] * b[2][j] - a[i][3] * b[3][j];
}

static void matvec_sub(double a[B][B], double x[B], double y[B]) {
  for (int i = 0; i < B; i++) y[i] = y[i] - a[i][0] * x[0] - a[i][1] * x[1] - a[i][2] * x[2] - a[i][3] * x[3];
}

/* d := I, with u and r multiplied by the inverse of d */
static void binvcrhs(double d[B][B], double u[B][B], double r[B]) {
  for (int p = 0; p < B; p++) {
    double pivot = 1.0 / d[p][p];
    for (int j = p + 1; j < B; j++) d[p][j] *= pivot;
    for (int j = 0; j < B; j++) u[p][j] *= pivot;
    r[p] *= pivot;
    for (int i = 0; i < B; i++) {
      if (i == p) continue;
      double c = d[i][p];
      for (int j = p + 1; j < B; j++) d[i][j] -= c * d[p][j];
      for (int j = 0; j < B; j++) u[i][j] -= c * u[p][j];
      r[i] -= c * r[p];
    }
  }
}

static void solve_lines(void) {
  for (int l = 0; l < LINES; l++) {
    binvcrhs(diag[l][0], upper[l][0], rhs[l][0]);
    for (int k = 1; k < POINTS; k++) {
      matvec_sub(lower[l][k], rhs[l][k - 1], rhs[l][k]);
      matmul_sub(lower[l][k], upper[l][k - 1], diag[l][k]);
      binvcrhs(diag[l][k], upper[l][k], rhs[l][k]);
    }
    for (int k = POINTS - 2; k >= 0; k--)
      for (int m = 0; m < B; m++)
        for (int n = 0; n < B; n++) rhs[l][k][m] -= upper[l][k][m][n] * rhs[l][k + 1][n];
  }
}

static void lhs(int t) {
  for (int l = 0; l < LINES; l++)
    for (int k = 0; k < POINTS; k++) {
      double s = 1 + 0.1 * keep[l][k][0];
      for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) {
          double v = 0.1 * ((i * 3 + j * 5 + k + l + t) % 7) - 0.3;
          lower[l][k][i][j] = -0.2 * v * s;
          upper[l][k][i][j] = 0.25 * v;
          diag[l][k][i][j] = (i == j ? 3.0 + s : 0.1 * v);
        }
      for (int i = 0; i < B; i++) rhs[l][k][i] = keep[l][k][i] + 0.01 * (i + t);
    }
}

int main(void) {
  for (int l = 0; l < LINES; l++)
    for (int k = 0; k < POINTS; k++)
      for (int i = 0; i < B; i++) keep[l][k][i] = bench_random(1, (l * POINTS + k) * B + i);
  bench_start();
  for (int t = 0; t < 32; t++) {
    lhs(t);
    solve_lines();
    for (int l = 0; l < LINES; l++)
      for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < B; i++) keep[l][k][i] = 0.5 * keep[l][k][i] + rhs[l][k][i];
  }
  bench_stop();
  double s = 0, w = 0;
  for (int l = 0; l < LINES; l++)
    for (int k = 0; k < POINTS; k++)
      for (int i = 0; i < B; i++) {
        s += keep[l][k][i];
        w += keep[l][k][i] * (i + 1) * (l % 5 + k % 3);
      }
  printf("check blocktridiag %.10g %.10g\n", s, w);
  return 0;
}
