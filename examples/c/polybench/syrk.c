/* C = alpha * A * A' + beta * C, the lower triangle of C. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N BENCH_SIZE(30, 80, 240, 1200)
#endif

static void kernel_syrk(int m, int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[N][N],
                        DATA_TYPE A[N][M]) {
  int i, j, k;

  SCOP
  ACC(kernels copy(C[0:N][0:N]) copyin(A[0:N][0:M]))
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) C[i][j] *= beta;
    for (k = 0; k < m; k++)
      for (j = 0; j <= i; j++) C[i][j] += alpha * A[i][k] * A[j][k];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(C, N, N);
  BENCH_2D(A, N, M);
  bench_fill(C, N * N, 1);
  bench_fill(A, N * M, 2);

  bench_start();
  kernel_syrk(M, N, VAL(1.5), VAL(1.2), C, A);
  bench_stop();

  bench_show("C", C, N * N);
  BENCH_FREE(C);
  BENCH_FREE(A);
  return 0;
}
