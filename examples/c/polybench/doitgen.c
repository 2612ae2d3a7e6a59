/* A[r][q][p] = sum over s of A[r][q][s] * C4[s][p]. */
#include "bench.h"

#ifndef NQ
#define NQ BENCH_SIZE(8, 20, 40, 140)
#endif
#ifndef NR
#define NR BENCH_SIZE(10, 25, 50, 150)
#endif
#ifndef NP
#define NP BENCH_SIZE(12, 30, 60, 160)
#endif

static void kernel_doitgen(int nq, int nr, int np, DATA_TYPE A[NR][NQ][NP],
                           DATA_TYPE C4[NP][NP]) {
  int r, q, p, s;
  DATA_TYPE sum[NP];

  SCOP
  ACC(parallel loop gang collapse(2) private(sum) copy(A[0:NR][0:NQ][0:NP])
      copyin(C4[0:NP][0:NP]))
  for (r = 0; r < nr; r++)
    for (q = 0; q < nq; q++) {
      ACC(loop vector)
      for (p = 0; p < np; p++) {
        sum[p] = VAL(0.0);
        for (s = 0; s < np; s++) sum[p] += A[r][q][s] * C4[s][p];
      }
      ACC(loop vector)
      for (p = 0; p < np; p++) A[r][q][p] = sum[p];
    }
  ENDSCOP
}

int main(void) {
  BENCH_3D(A, NR, NQ, NP);
  BENCH_2D(C4, NP, NP);
  bench_fill(A, NR * NQ * NP, 1);
  bench_fill(C4, NP * NP, 2);

  bench_start();
  kernel_doitgen(NQ, NR, NP, A, C4);
  bench_stop();

  bench_show("A", A, NR * NQ * NP);
  BENCH_FREE(A);
  BENCH_FREE(C4);
  return 0;
}
