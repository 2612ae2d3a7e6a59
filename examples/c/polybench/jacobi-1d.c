/* T steps of a stencil of 3 points, from A to B and back. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(30, 120, 400, 2000)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_jacobi_1d(int n, int steps, DATA_TYPE A[N], DATA_TYPE B[N]) {
  int i, t;

  SCOP
  ACC(data copy(A[0:n], B[0:n]))
  {
    for (t = 0; t < steps; t++) {
      ACC(parallel loop async(1))
      for (i = 1; i < n - 1; i++) B[i] = VAL(0.33333) * (A[i - 1] + A[i] + A[i + 1]);
      ACC(parallel loop async(1))
      for (i = 1; i < n - 1; i++) A[i] = VAL(0.33333) * (B[i - 1] + B[i] + B[i + 1]);
    }
    ACC(wait(1))
  }
  ENDSCOP
}

int main(void) {
  BENCH_1D(A, N);
  BENCH_1D(B, N);
  bench_fill(A, N, 1);
  bench_fill(B, N, 2);

  bench_start();
  kernel_jacobi_1d(N, T, A, B);
  bench_stop();

  bench_show("A", A, N);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
