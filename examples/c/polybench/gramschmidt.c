/* A = Q * R by the modified Gram-Schmidt process, for more rows than columns, so that the
   columns are independent. A is overwritten. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(30, 80, 240, 1200)
#endif
#ifndef N
#define N BENCH_SIZE(20, 60, 200, 1000)
#endif

static void kernel_gramschmidt(int m, int n, DATA_TYPE A[M][N], DATA_TYPE R[N][N],
                               DATA_TYPE Q[M][N]) {
  int i, j, k;
  DATA_TYPE nrm;

  SCOP
  ACC(data copy(A[0:M][0:N], R[0:N][0:N]) copyout(Q[0:M][0:N]))
  for (k = 0; k < n; k++) {
    nrm = VAL(0.0);
    ACC(parallel loop reduction(+ : nrm))
    for (i = 0; i < m; i++) nrm += A[i][k] * A[i][k];
    ACC(serial)
    R[k][k] = SQRT(nrm);
    ACC(parallel loop)
    for (i = 0; i < m; i++) Q[i][k] = A[i][k] / R[k][k];
    ACC(parallel loop)
    for (j = k + 1; j < n; j++) {
      R[k][j] = VAL(0.0);
      for (i = 0; i < m; i++) R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < m; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, M, N);
  BENCH_2D(R, N, N);
  BENCH_2D(Q, M, N);
  bench_fill(A, M * N, 1);
  bench_zero(R, N * N);
  bench_zero(Q, M * N);

  bench_start();
  kernel_gramschmidt(M, N, A, R, Q);
  bench_stop();

  bench_show("R", R, N * N);
  bench_show("Q", Q, M * N);
  BENCH_FREE(A);
  BENCH_FREE(R);
  BENCH_FREE(Q);
  return 0;
}
