/* Five points on a torus, with remainders. */
#include "bench.h"

static void step(const double *u, double *v, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int up = (i - 1 + n) % n, down = (i + 1) % n, left = (j + n - 1) % n, right = (j + 1) % n;
      v[i * n + j] = u[i * n + j] + 0.1 * (u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right] - 4 * u[i * n + j]);
    }
}

int main(void) {
  int n = 700;
  double *u = malloc(n * n * sizeof *u), *v = malloc(n * n * sizeof *v);
  for (int i = 0; i < n * n; i++) u[i] = bench_random(1, i);
  bench_start();
  for (int r = 0; r < 30; r++) {
    step(u, v, n);
    double *t = u;
    u = v;
    v = t;
  }
  bench_stop();
  double a = 0;
  for (int i = 0; i < n * n; i++) a += u[i] * (i % 7);
  printf("check edgewrap %.10g\n", a);
  free(u);
  free(v);
  return 0;
}
