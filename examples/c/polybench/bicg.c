/* s = A' * r;  q = A * p. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(38, 116, 390, 1900)
#endif
#ifndef N
#define N BENCH_SIZE(42, 124, 410, 2100)
#endif

static void kernel_bicg(int m, int n, DATA_TYPE A[N][M], DATA_TYPE s[M], DATA_TYPE q[N],
                        DATA_TYPE p[M], DATA_TYPE r[N]) {
  int i, j;

  SCOP
  ACC(kernels copyin(A[0:N][0:M], p[0:m], r[0:n]) copyout(s[0:m], q[0:n]))
  {
    for (i = 0; i < m; i++) s[i] = 0;
    for (i = 0; i < n; i++) {
      q[i] = VAL(0.0);
      for (j = 0; j < m; j++) {
        s[j] = s[j] + r[i] * A[i][j];
        q[i] = q[i] + A[i][j] * p[j];
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, M);
  BENCH_1D(s, M);
  BENCH_1D(q, N);
  BENCH_1D(p, M);
  BENCH_1D(r, N);
  bench_fill(A, N * M, 1);
  bench_zero(s, M);
  bench_zero(q, N);
  bench_fill(p, M, 2);
  bench_fill(r, N, 3);

  bench_start();
  kernel_bicg(M, N, A, s, q, p, r);
  bench_stop();

  bench_show("s", s, M);
  bench_show("q", q, N);
  BENCH_FREE(A);
  BENCH_FREE(s);
  BENCH_FREE(q);
  BENCH_FREE(p);
  BENCH_FREE(r);
  return 0;
}
