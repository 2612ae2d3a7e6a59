/* A = L * L', L in the lower triangle of A. Only that triangle is read; it stands for a
   positive definite matrix. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_cholesky(int n, DATA_TYPE A[N][N]) {
  int i, j, k;

  SCOP
  ACC(kernels copy(A[0:N][0:N]))
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = SQRT(A[i][i]);
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  bench_dominant(A, N, 1);

  bench_start();
  kernel_cholesky(N, A);
  bench_stop();

  bench_show("A", A, N * N);
  BENCH_FREE(A);
  return 0;
}
