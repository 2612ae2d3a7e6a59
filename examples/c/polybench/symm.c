/* C = alpha * A * B + beta * C, A symmetric; only its lower triangle is read. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N BENCH_SIZE(30, 80, 240, 1200)
#endif

static void kernel_symm(int m, int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[M][N],
                        DATA_TYPE A[M][M], DATA_TYPE B[M][N]) {
  int i, j, k;
  DATA_TYPE temp2;

  SCOP
  ACC(kernels copy(C[0:M][0:N]) copyin(A[0:M][0:M], B[0:M][0:N]))
  {
    ACC(loop seq)
    for (i = 0; i < m; i++) {
      ACC(loop independent private(temp2))
      for (j = 0; j < n; j++) {
        temp2 = 0;
        for (k = 0; k < i; k++) {
          C[k][j] += alpha * B[i][j] * A[i][k];
          temp2 += B[k][j] * A[i][k];
        }
        C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(C, M, N);
  BENCH_2D(A, M, M);
  BENCH_2D(B, M, N);
  bench_fill(C, M * N, 1);
  bench_fill(A, M * M, 2);
  bench_fill(B, M * N, 3);

  bench_start();
  kernel_symm(M, N, VAL(1.5), VAL(1.2), C, A, B);
  bench_stop();

  bench_show("C", C, M * N);
  BENCH_FREE(C);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
