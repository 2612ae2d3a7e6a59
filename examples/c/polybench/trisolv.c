/* L * x = b, L lower triangular. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_trisolv(int n, DATA_TYPE L[N][N], DATA_TYPE x[N], DATA_TYPE b[N]) {
  int i, j;

  SCOP
  ACC(kernels copyin(L[0:N][0:N], b[0:n]) copyout(x[0:n]))
  for (i = 0; i < n; i++) {
    x[i] = b[i];
    for (j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(L, N, N);
  BENCH_1D(x, N);
  BENCH_1D(b, N);
  bench_dominant(L, N, 1);
  bench_zero(x, N);
  bench_fill(b, N, 2);

  bench_start();
  kernel_trisolv(N, L, x, b);
  bench_stop();

  bench_show("x", x, N);
  BENCH_FREE(L);
  BENCH_FREE(x);
  BENCH_FREE(b);
  return 0;
}
