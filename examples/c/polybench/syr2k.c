/* C = alpha * (A * B' + B * A') + beta * C, the lower triangle of C. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N BENCH_SIZE(30, 80, 240, 1200)
#endif

static void kernel_syr2k(int m, int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[N][N],
                         DATA_TYPE A[N][M], DATA_TYPE B[N][M]) {
  int i, j, k;

  SCOP
  ACC(parallel loop gang copy(C[0:N][0:N]) copyin(A[0:N][0:M], B[0:N][0:M]))
  for (i = 0; i < n; i++) {
    ACC(loop vector)
    for (j = 0; j <= i; j++) C[i][j] *= beta;
    for (k = 0; k < m; k++) {
      ACC(loop vector)
      for (j = 0; j <= i; j++) C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(C, N, N);
  BENCH_2D(A, N, M);
  BENCH_2D(B, N, M);
  bench_fill(C, N * N, 1);
  bench_fill(A, N * M, 2);
  bench_fill(B, N * M, 3);

  bench_start();
  kernel_syr2k(M, N, VAL(1.5), VAL(1.2), C, A, B);
  bench_stop();

  bench_show("C", C, N * N);
  BENCH_FREE(C);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
