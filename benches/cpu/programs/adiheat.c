/* Heat by alternating directions: systems of three diagonals along rows, then along columns. */
#include "bench.h"

#define N 256
#define IDX(i, j) ((i) * N + (j))

/* Solves -r u[k-1] + (1 + 2r) u[k] - r u[k+1] = d[k] along a line of a given stride. */
static void line(double *d, int stride, double r, const double *c, const double *m) {
  d[0] *= m[0];
  for (int k = 1; k < N; k++) d[k * stride] = (d[k * stride] + r * d[(k - 1) * stride]) * m[k];
  for (int k = N - 2; k >= 0; k--) d[k * stride] -= c[k] * d[(k + 1) * stride];
}

static void explicit_part(const double *u, double *d, int step, double r) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int at = IDX(i, j), pos = step == 1 ? j : i;
      double before = pos > 0 ? u[at - step] : 0, after = pos < N - 1 ? u[at + step] : 0;
      d[at] = u[at] + r * (before - 2 * u[at] + after);
    }
}

int main(void) {
  double *u = malloc(N * N * sizeof(double)), *d = malloc(N * N * sizeof(double));
  double c[N], m[N], r = 0.8;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) u[IDX(i, j)] = sin((i + 1) * M_PI / (N + 1)) * (1 + bench_random(1, IDX(i, j)));
  m[0] = 1 / (1 + 2 * r);
  c[0] = -r * m[0];
  for (int k = 1; k < N; k++) {
    m[k] = 1 / (1 + 2 * r + r * c[k - 1]);
    c[k] = -r * m[k];
  }

  bench_start();
  for (int t = 0; t < 60; t++) {
    explicit_part(u, d, N, r);
    for (int i = 0; i < N; i++) line(d + i * N, 1, r, c, m);
    explicit_part(d, u, 1, r);
    for (int j = 0; j < N; j++) line(u + j, N, r, c, m);
  }
  bench_stop();

  double sum = 0, max = 0;
  for (int i = 0; i < N * N; i++) {
    sum += u[i];
    if (u[i] > max) max = u[i];
  }
  printf("check adiheat %.10g %.10g\n", sum, max);
  free(u);
  free(d);
  return 0;
}
