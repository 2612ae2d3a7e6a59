/* T steps of the heat equation on a cube, from A to B and back. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(10, 20, 40, 120)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_heat_3d(int n, int steps, DATA_TYPE A[N][N][N], DATA_TYPE B[N][N][N]) {
  int i, j, k, t;

  SCOP
  ACC(data copy(A[0:N][0:N][0:N], B[0:N][0:N][0:N]))
  for (t = 1; t <= steps; t++) {
    ACC(parallel loop collapse(3))
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        for (k = 1; k < n - 1; k++)
          B[i][j][k] = VAL(0.125) * (A[i + 1][j][k] - VAL(2.0) * A[i][j][k] + A[i - 1][j][k]) +
                       VAL(0.125) * (A[i][j + 1][k] - VAL(2.0) * A[i][j][k] + A[i][j - 1][k]) +
                       VAL(0.125) * (A[i][j][k + 1] - VAL(2.0) * A[i][j][k] + A[i][j][k - 1]) +
                       A[i][j][k];
    ACC(parallel loop collapse(3))
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        for (k = 1; k < n - 1; k++)
          A[i][j][k] = VAL(0.125) * (B[i + 1][j][k] - VAL(2.0) * B[i][j][k] + B[i - 1][j][k]) +
                       VAL(0.125) * (B[i][j + 1][k] - VAL(2.0) * B[i][j][k] + B[i][j - 1][k]) +
                       VAL(0.125) * (B[i][j][k + 1] - VAL(2.0) * B[i][j][k] + B[i][j][k - 1]) +
                       B[i][j][k];
  }
  ENDSCOP
}

int main(void) {
  BENCH_3D(A, N, N, N);
  BENCH_3D(B, N, N, N);
  bench_fill(A, N * N * N, 1);
  bench_fill(B, N * N * N, 2);

  bench_start();
  kernel_heat_3d(N, T, A, B);
  bench_stop();

  bench_show("A", A, N * N * N);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
