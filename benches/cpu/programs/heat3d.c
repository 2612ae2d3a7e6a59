/* Heat in a block: at its sides a neighbour that is missing counts as the cell itself. */
#include "bench.h"

#define IDX(i, j, k) (((i) * n + (j)) * n + (k))

static void step(const double *t, double *u, int n, double c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        double here = t[IDX(i, j, k)];
        double sum = -6.0 * here;
        sum += i > 0 ? t[IDX(i - 1, j, k)] : here;
        sum += i < n - 1 ? t[IDX(i + 1, j, k)] : here;
        sum += j > 0 ? t[IDX(i, j - 1, k)] : here;
        sum += j < n - 1 ? t[IDX(i, j + 1, k)] : here;
        if (k > 0)
          sum += t[IDX(i, j, k - 1)];
        else
          sum += here;
        if (k < n - 1)
          sum += t[IDX(i, j, k + 1)];
        else
          sum += here;
        u[IDX(i, j, k)] = here + c * sum;
      }
}

int main(void) {
  int n = 72;
  double *t = malloc(n * n * n * sizeof *t), *u = malloc(n * n * n * sizeof *u);
  for (int i = 0; i < n * n * n; i++) t[i] = bench_random(1, i) * 100;

  bench_start();
  for (int s = 0; s < 100; s++) {
    step(t, u, n, 0.1);
    double *swap = t;
    t = u;
    u = swap;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < n * n * n; i++) sum += t[i] * (1 + i % 13);
  printf("check heat %.17g %.17g %.17g\n", sum, t[0], t[IDX(n / 2, n / 2, n / 2)]);
  free(t);
  free(u);
  return 0;
}
