/* x1 += A * y1;  x2 += A' * y2. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_mvt(int n, DATA_TYPE x1[N], DATA_TYPE x2[N], DATA_TYPE y1[N],
                       DATA_TYPE y2[N], DATA_TYPE A[N][N]) {
  int i, j;

  SCOP
  ACC(data copy(x1[0:n], x2[0:n]) copyin(y1[0:n], y2[0:n], A[0:N][0:N]))
  {
    ACC(parallel loop async(1))
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) x1[i] = x1[i] + A[i][j] * y1[j];
    ACC(parallel loop async(2))
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) x2[i] = x2[i] + A[j][i] * y2[j];
    ACC(wait)
  }
  ENDSCOP
}

int main(void) {
  BENCH_1D(x1, N);
  BENCH_1D(x2, N);
  BENCH_1D(y1, N);
  BENCH_1D(y2, N);
  BENCH_2D(A, N, N);
  bench_fill(x1, N, 1);
  bench_fill(x2, N, 2);
  bench_fill(y1, N, 3);
  bench_fill(y2, N, 4);
  bench_fill(A, N * N, 5);

  bench_start();
  kernel_mvt(N, x1, x2, y1, y2, A);
  bench_stop();

  bench_show("x1", x1, N);
  bench_show("x2", x2, N);
  BENCH_FREE(x1);
  BENCH_FREE(x2);
  BENCH_FREE(y1);
  BENCH_FREE(y2);
  BENCH_FREE(A);
  return 0;
}
