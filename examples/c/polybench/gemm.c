/* C = alpha * A * B + beta * C, a row of C at a time. */
#include "bench.h"

#ifndef NI
#define NI BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef NJ
#define NJ BENCH_SIZE(25, 70, 220, 1100)
#endif
#ifndef NK
#define NK BENCH_SIZE(30, 80, 240, 1200)
#endif

static void kernel_gemm(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta,
                        DATA_TYPE C[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ]) {
  int i, j, k;

  SCOP
  ACC(parallel loop gang copyin(A[0:NI][0:NK], B[0:NK][0:NJ]) copy(C[0:NI][0:NJ]))
  for (i = 0; i < ni; i++) {
    ACC(loop vector)
    for (j = 0; j < nj; j++) C[i][j] *= beta;
    ACC(loop seq)
    for (k = 0; k < nk; k++) {
      ACC(loop vector)
      for (j = 0; j < nj; j++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(C, NI, NJ);
  BENCH_2D(A, NI, NK);
  BENCH_2D(B, NK, NJ);
  bench_fill(C, NI * NJ, 1);
  bench_fill(A, NI * NK, 2);
  bench_fill(B, NK * NJ, 3);

  bench_start();
  kernel_gemm(NI, NJ, NK, VAL(1.5), VAL(1.2), C, A, B);
  bench_stop();

  bench_show("C", C, NI * NJ);
  BENCH_FREE(C);
  BENCH_FREE(A);
  BENCH_FREE(B);
  return 0;
}
