/* y = A' * (A * x), a row of A at a time. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(38, 116, 390, 1900)
#endif
#ifndef N
#define N BENCH_SIZE(42, 124, 410, 2100)
#endif

static void kernel_atax(int m, int n, DATA_TYPE A[M][N], DATA_TYPE x[N], DATA_TYPE y[N],
                        DATA_TYPE tmp[M]) {
  int i, j;

  SCOP
  ACC(data copyin(A[0:M][0:N], x[0:n]) copyout(y[0:n]) create(tmp[0:m]))
  {
    ACC(parallel loop)
    for (i = 0; i < n; i++) y[i] = 0;
    ACC(parallel loop)
    for (i = 0; i < m; i++) {
      tmp[i] = VAL(0.0);
      ACC(loop seq)
      for (j = 0; j < n; j++) tmp[i] = tmp[i] + A[i][j] * x[j];
      ACC(loop seq)
      for (j = 0; j < n; j++) {
        ACC(atomic update)
        y[j] = y[j] + A[i][j] * tmp[i];
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, M, N);
  BENCH_1D(x, N);
  BENCH_1D(y, N);
  BENCH_1D(tmp, M);
  bench_fill(A, M * N, 1);
  bench_fill(x, N, 2);
  bench_zero(y, N);
  bench_zero(tmp, M);

  bench_start();
  kernel_atax(M, N, A, x, y, tmp);
  bench_stop();

  bench_show("y", y, N);
  BENCH_FREE(A);
  BENCH_FREE(x);
  BENCH_FREE(y);
  BENCH_FREE(tmp);
  return 0;
}
