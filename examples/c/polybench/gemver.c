/* A += u1 * v1' + u2 * v2';  x += beta * A' * y + z;  w += alpha * A * x. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_gemver(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[N][N],
                          DATA_TYPE u1[N], DATA_TYPE v1[N], DATA_TYPE u2[N],
                          DATA_TYPE v2[N], DATA_TYPE w[N], DATA_TYPE x[N], DATA_TYPE y[N],
                          DATA_TYPE z[N]) {
  int i, j;

  SCOP
  ACC(data copy(A[0:N][0:N], x[0:n], w[0:n]) copyin(u1[0:n], v1[0:n], u2[0:n], v2[0:n],
      y[0:n], z[0:n]))
  {
    ACC(parallel loop collapse(2))
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
    ACC(parallel loop)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) x[i] = x[i] + beta * A[j][i] * y[j];
    ACC(parallel loop)
    for (i = 0; i < n; i++) x[i] = x[i] + z[i];
    ACC(parallel loop)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) w[i] = w[i] + alpha * A[i][j] * x[j];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  BENCH_1D(u1, N);
  BENCH_1D(v1, N);
  BENCH_1D(u2, N);
  BENCH_1D(v2, N);
  BENCH_1D(w, N);
  BENCH_1D(x, N);
  BENCH_1D(y, N);
  BENCH_1D(z, N);
  bench_fill(A, N * N, 1);
  bench_fill(u1, N, 2);
  bench_fill(v1, N, 3);
  bench_fill(u2, N, 4);
  bench_fill(v2, N, 5);
  bench_zero(w, N);
  bench_zero(x, N);
  bench_fill(y, N, 6);
  bench_fill(z, N, 7);

  bench_start();
  kernel_gemver(N, VAL(1.5), VAL(1.2), A, u1, v1, u2, v2, w, x, y, z);
  bench_stop();

  bench_show("w", w, N);
  bench_show("x", x, N);
  BENCH_FREE(A);
  BENCH_FREE(u1);
  BENCH_FREE(v1);
  BENCH_FREE(u2);
  BENCH_FREE(v2);
  BENCH_FREE(w);
  BENCH_FREE(x);
  BENCH_FREE(y);
  BENCH_FREE(z);
  return 0;
}
