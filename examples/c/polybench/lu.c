/* A = L * U in place, without pivoting: L below the diagonal, with ones on it, and U above. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_lu(int n, DATA_TYPE A[N][N]) {
  int i, j, k;

  SCOP
  ACC(kernels copy(A[0:N][0:N]))
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (j = i; j < n; j++)
      for (k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  bench_dominant(A, N, 1);

  bench_start();
  kernel_lu(N, A);
  bench_stop();

  bench_show("A", A, N * N);
  BENCH_FREE(A);
  return 0;
}
