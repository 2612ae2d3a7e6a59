/* T steps of the heat equation on a square by alternating directions: implicit along the
   columns, then along the rows. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_adi(int n, int steps, DATA_TYPE u[N][N], DATA_TYPE v[N][N],
                       DATA_TYPE p[N][N], DATA_TYPE q[N][N]) {
  int t, i, j;
  DATA_TYPE dx, dy, dt, mul1, mul2, a, b, d, e;

  SCOP
  dx = VAL(1.0) / (DATA_TYPE)n;
  dy = VAL(1.0) / (DATA_TYPE)n;
  dt = VAL(1.0) / (DATA_TYPE)steps;
  mul1 = VAL(2.0) * dt / (dx * dx);
  mul2 = dt / (dy * dy);
  a = -mul1 / VAL(2.0);
  b = VAL(1.0) + mul1;
  d = -mul2 / VAL(2.0);
  e = VAL(1.0) + mul2;
  ACC(data copy(u[0:N][0:N]) create(v[0:N][0:N], p[0:N][0:N], q[0:N][0:N]))
  for (t = 1; t <= steps; t++) {
    ACC(parallel loop)
    for (i = 1; i < n - 1; i++) {
      v[0][i] = VAL(1.0);
      p[i][0] = VAL(0.0);
      q[i][0] = v[0][i];
      for (j = 1; j < n - 1; j++) {
        p[i][j] = -a / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (VAL(1.0) + VAL(2.0) * d) * u[j][i] - d * u[j][i + 1] -
                   a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = VAL(1.0);
      for (j = n - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    ACC(parallel loop)
    for (i = 1; i < n - 1; i++) {
      u[i][0] = VAL(1.0);
      p[i][0] = VAL(0.0);
      q[i][0] = u[i][0];
      for (j = 1; j < n - 1; j++) {
        p[i][j] = -d / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (VAL(1.0) + VAL(2.0) * a) * v[i][j] - a * v[i + 1][j] -
                   d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = VAL(1.0);
      for (j = n - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(u, N, N);
  BENCH_2D(v, N, N);
  BENCH_2D(p, N, N);
  BENCH_2D(q, N, N);
  bench_fill(u, N * N, 1);
  bench_zero(v, N * N);
  bench_zero(p, N * N);
  bench_zero(q, N * N);

  bench_start();
  kernel_adi(N, T, u, v, p, q);
  bench_stop();

  bench_show("u", u, N * N);
  BENCH_FREE(u);
  BENCH_FREE(v);
  BENCH_FREE(p);
  BENCH_FREE(q);
  return 0;
}
