/* T sweeps of a stencil of 9 points, in place. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_seidel_2d(int n, int steps, DATA_TYPE A[N][N]) {
  int i, j, t;

  SCOP
  ACC(kernels copy(A[0:N][0:N]))
  for (t = 0; t < steps; t++)
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] +
                   A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                  VAL(9.0);
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  bench_fill(A, N * N, 1);

  bench_start();
  kernel_seidel_2d(N, T, A);
  bench_stop();

  bench_show("A", A, N * N);
  BENCH_FREE(A);
  return 0;
}
