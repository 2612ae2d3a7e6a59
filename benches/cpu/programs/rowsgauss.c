/* Gauss elimination with partial pivoting: rows change places by their pointers. */
#include "bench.h"
static int solve(double **a, double *x, int n) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
    if (a[p][k] == 0) return -1;
    double *t = a[p]; a[p] = a[k]; a[k] = t;
    for (int i = k + 1; i < n; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j <= n; j++) a[i][j] -= f * a[k][j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = a[i][n];
    for (int j = i + 1; j < n; j++) s -= a[i][j] * x[j];
    x[i] = s / a[i][i];
  }
  return 0;
}
int main(void) {
  int n = 400;
  double **a = malloc(n * sizeof *a), *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; i++) a[i] = malloc((n + 1) * sizeof **a);
  double s = 0;
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = bench_random(r + 1, i * (n + 1) + j) - 0.5;
    bench_start();
    int bad = solve(a, x, n);
    bench_stop();
    for (int i = 0; i < n; i++) s += x[i] * (i % 7) + bad;
  }
  printf("check rowsgauss %.17g\n", s);
  return 0;
}
