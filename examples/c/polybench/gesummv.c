/* y = alpha * A * x + beta * B * x. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(30, 90, 250, 1300)
#endif

static void kernel_gesummv(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[N][N],
                           DATA_TYPE B[N][N], DATA_TYPE tmp[N], DATA_TYPE x[N],
                           DATA_TYPE y[N]) {
  int i, j;

  SCOP
  ACC(parallel loop copyin(A[0:N][0:N], B[0:N][0:N], x[0:n]) create(tmp[0:n])
      copyout(y[0:n]))
  for (i = 0; i < n; i++) {
    tmp[i] = VAL(0.0);
    y[i] = VAL(0.0);
    for (j = 0; j < n; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  BENCH_2D(B, N, N);
  BENCH_1D(tmp, N);
  BENCH_1D(x, N);
  BENCH_1D(y, N);
  bench_fill(A, N * N, 1);
  bench_fill(B, N * N, 2);
  bench_zero(tmp, N);
  bench_fill(x, N, 3);
  bench_zero(y, N);

  bench_start();
  kernel_gesummv(N, VAL(1.5), VAL(1.2), A, B, tmp, x, y);
  bench_stop();

  bench_show("y", y, N);
  BENCH_FREE(A);
  BENCH_FREE(B);
  BENCH_FREE(tmp);
  BENCH_FREE(x);
  BENCH_FREE(y);
  return 0;
}
