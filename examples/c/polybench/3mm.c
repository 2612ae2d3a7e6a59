/* G = (A * B) * (C * D). */
#include "bench.h"

#ifndef NI
#define NI BENCH_SIZE(16, 40, 180, 800)
#endif
#ifndef NJ
#define NJ BENCH_SIZE(18, 50, 190, 900)
#endif
#ifndef NK
#define NK BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef NL
#define NL BENCH_SIZE(22, 70, 210, 1100)
#endif
#ifndef NM
#define NM BENCH_SIZE(24, 80, 220, 1200)
#endif

static void kernel_3mm(int ni, int nj, int nk, int nl, int nm, DATA_TYPE E[NI][NJ],
                       DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ], DATA_TYPE F[NJ][NL],
                       DATA_TYPE C[NJ][NM], DATA_TYPE D[NM][NL], DATA_TYPE G[NI][NL]) {
  int i, j, k;

  SCOP
  ACC(kernels copyin(A[0:NI][0:NK], B[0:NK][0:NJ], C[0:NJ][0:NM], D[0:NM][0:NL])
      copyout(E[0:NI][0:NJ], F[0:NJ][0:NL], G[0:NI][0:NL]))
  {
    ACC(loop independent)
    for (i = 0; i < ni; i++) {
      ACC(loop independent)
      for (j = 0; j < nj; j++) {
        E[i][j] = VAL(0.0);
        for (k = 0; k < nk; k++) E[i][j] += A[i][k] * B[k][j];
      }
    }
    ACC(loop independent)
    for (i = 0; i < nj; i++) {
      ACC(loop independent)
      for (j = 0; j < nl; j++) {
        F[i][j] = VAL(0.0);
        for (k = 0; k < nm; k++) F[i][j] += C[i][k] * D[k][j];
      }
    }
    ACC(loop independent)
    for (i = 0; i < ni; i++) {
      ACC(loop independent)
      for (j = 0; j < nl; j++) {
        G[i][j] = VAL(0.0);
        for (k = 0; k < nj; k++) G[i][j] += E[i][k] * F[k][j];
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(E, NI, NJ);
  BENCH_2D(A, NI, NK);
  BENCH_2D(B, NK, NJ);
  BENCH_2D(F, NJ, NL);
  BENCH_2D(C, NJ, NM);
  BENCH_2D(D, NM, NL);
  BENCH_2D(G, NI, NL);
  bench_zero(E, NI * NJ);
  bench_fill(A, NI * NK, 1);
  bench_fill(B, NK * NJ, 2);
  bench_zero(F, NJ * NL);
  bench_fill(C, NJ * NM, 3);
  bench_fill(D, NM * NL, 4);
  bench_zero(G, NI * NL);

  bench_start();
  kernel_3mm(NI, NJ, NK, NL, NM, E, A, B, F, C, D, G);
  bench_stop();

  bench_show("E", E, NI * NJ);
  bench_show("F", F, NJ * NL);
  bench_show("G", G, NI * NL);
  BENCH_FREE(E);
  BENCH_FREE(A);
  BENCH_FREE(B);
  BENCH_FREE(F);
  BENCH_FREE(C);
  BENCH_FREE(D);
  BENCH_FREE(G);
  return 0;
}
