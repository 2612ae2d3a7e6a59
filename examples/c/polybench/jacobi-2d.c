/* T steps of a stencil of 5 points, from A to B and back. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(30, 90, 250, 1300)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_jacobi_2d(int n, int steps, DATA_TYPE A[N][N], DATA_TYPE B[N][N]) {
  int i, j, t;

  SCOP
  ACC(data copy(A[0:N][0:N], B[0:N][0:N]))
  for (t = 0; t < steps; t++) {
    ACC(parallel loop gang)
    for (i = 1; i < n - 1; i++) {
      ACC(loop vector)
      for (j = 1; j < n - 1; j++)
        B[i][j] = VAL(0.2) * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    }
    ACC(parallel loop gang)
    for (i = 1; i < n - 1; i++) {
      ACC(loop vector)
      for (j = 1; j < n - 1; j++)
        A[i][j] = VAL(0.2) * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  BENCH_2D(B, N, N);
  bench_fill(A, N * N, 1);
  bench_fill(B, N * N, 2);

  bench_start();
  kernel_jacobi_2d(N, T, A, B);
  bench_stop();

  bench_show("A", A, N * N);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
