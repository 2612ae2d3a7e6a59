/* Products of matrices whose rows were allocated one by one. */
#include "bench.h"
static double **matrix(int r, int c) {
  double **m = malloc(r * sizeof *m);
  for (int i = 0; i < r; i++) m[i] = calloc(c, sizeof **m);
  return m;
}
static void multiply(double **c, double **a, double **b, int n, int m, int p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) {
      double s = 0;
      for (int k = 0; k < m; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}
int main(void) {
  int n = 300, m = 280, p = 310;
  double **a = matrix(n, m), **b = matrix(m, p), **c = matrix(n, p);
  for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i][k] = bench_random(1, i * m + k);
  for (int k = 0; k < m; k++) for (int j = 0; j < p; j++) b[k][j] = bench_random(2, k * p + j);
  bench_start();
  for (int r = 0; r < 3; r++) multiply(c, a, b, n, m, p);
  bench_stop();
  double s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < p; j++) s += c[i][j] * (i + 2 * j);
  printf("check rowsmatmul %.17g\n", s);
  return 0;
}
