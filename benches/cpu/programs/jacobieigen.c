/* The eigenvalues of a symmetric matrix by Jacobi's rotations, in cyclic order. */
#include "bench.h"

static double off(int n, double a[n][n]) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) s += a[i][j] * a[i][j];
  return s;
}

static void rotate(int n, double a[n][n], double v[n][n], int p, int q) {
  if (a[p][q] == 0) return;
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    double x = a[k][p], y = a[k][q];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    double x = a[p][k], y = a[q][k];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    double x = v[p][k], y = v[q][k];
    v[p][k] = c * x - s * y;
    v[q][k] = s * x + c * y;
  }
}

int main(void) {
  int n = 220, sweeps = 0;
  double(*a)[n] = malloc(n * sizeof *a), (*v)[n] = malloc(n * sizeof *v);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      a[i][j] = a[j][i] = bench_random(1, i * n + j) - 0.5 + (i == j) * i * 0.2;
      v[i][j] = v[j][i] = i == j;
    }

  bench_start();
  while (off(n, a) > 1e-18 && sweeps < 30) {
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) rotate(n, a, v, p, q);
    sweeps++;
  }
  bench_stop();

  double min = a[0][0], max = a[0][0], squares = 0, ortho = 0;
  for (int i = 0; i < n; i++) {
    min = a[i][i] < min ? a[i][i] : min;
    max = a[i][i] > max ? a[i][i] : max;
    squares += a[i][i] * a[i][i];
    ortho += v[0][i] * v[n - 1][i];
  }
  printf("check jacobieigen %d %.9g %.9g %.9g %d\n", sweeps, min, max, squares, fabs(ortho) < 1e-10);
  free(a);
  free(v);
  return 0;
}
