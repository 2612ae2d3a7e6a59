/* B = alpha * A' * B in place, A lower triangular with ones on the diagonal. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N BENCH_SIZE(30, 80, 240, 1200)
#endif

static void kernel_trmm(int m, int n, DATA_TYPE alpha, DATA_TYPE A[M][M],
                        DATA_TYPE B[M][N]) {
  int i, j, k;

  SCOP
  ACC(kernels copyin(A[0:M][0:M]) copy(B[0:M][0:N]))
  {
    ACC(loop seq)
    for (i = 0; i < m; i++) {
      ACC(loop independent)
      for (j = 0; j < n; j++) {
        for (k = i + 1; k < m; k++) B[i][j] += A[k][i] * B[k][j];
        B[i][j] = alpha * B[i][j];
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, M, M);
  BENCH_2D(B, M, N);
  bench_fill(A, M * M, 1);
  bench_fill(B, M * N, 2);

  bench_start();
  kernel_trmm(M, N, VAL(1.5), A, B);
  bench_stop();

  bench_show("B", B, M * N);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
