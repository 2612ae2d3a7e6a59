/* D = alpha * A * B * C + beta * D. */
#include "bench.h"

#ifndef NI
#define NI BENCH_SIZE(16, 40, 180, 800)
#endif
#ifndef NJ
#define NJ BENCH_SIZE(18, 50, 190, 900)
#endif
#ifndef NK
#define NK BENCH_SIZE(22, 70, 210, 1100)
#endif
#ifndef NL
#define NL BENCH_SIZE(24, 80, 220, 1200)
#endif

static void kernel_2mm(int ni, int nj, int nk, int nl, DATA_TYPE alpha, DATA_TYPE beta,
                       DATA_TYPE tmp[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ],
                       DATA_TYPE C[NJ][NL], DATA_TYPE D[NI][NL]) {
  int i, j, k;

  SCOP
  ACC(data create(tmp[0:NI][0:NJ]) copyin(A[0:NI][0:NK], B[0:NK][0:NJ], C[0:NJ][0:NL])
      copy(D[0:NI][0:NL]))
  {
    ACC(parallel loop collapse(2) present(tmp, A, B))
    for (i = 0; i < ni; i++)
      for (j = 0; j < nj; j++) {
        tmp[i][j] = VAL(0.0);
        ACC(loop seq)
        for (k = 0; k < nk; k++) tmp[i][j] += alpha * A[i][k] * B[k][j];
      }
    ACC(parallel loop collapse(2) present(tmp, C, D))
    for (i = 0; i < ni; i++)
      for (j = 0; j < nl; j++) {
        D[i][j] *= beta;
        ACC(loop seq)
        for (k = 0; k < nj; k++) D[i][j] += tmp[i][k] * C[k][j];
      }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(tmp, NI, NJ);
  BENCH_2D(A, NI, NK);
  BENCH_2D(B, NK, NJ);
  BENCH_2D(C, NJ, NL);
  BENCH_2D(D, NI, NL);
  bench_zero(tmp, NI * NJ);
  bench_fill(A, NI * NK, 1);
  bench_fill(B, NK * NJ, 2);
  bench_fill(C, NJ * NL, 3);
  bench_fill(D, NI * NL, 4);

  bench_start();
  kernel_2mm(NI, NJ, NK, NL, VAL(1.5), VAL(1.2), tmp, A, B, C, D);
  bench_stop();

  bench_show("D", D, NI * NL);
  BENCH_FREE(tmp);
  BENCH_FREE(A);
  BENCH_FREE(B);
  BENCH_FREE(C);
  BENCH_FREE(D);
  return 0;
}
