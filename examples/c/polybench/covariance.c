/* Covariance of the M columns of a table of N rows. The columns of data are centred in place. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(28, 80, 240, 1200)
#endif
#ifndef N
#define N BENCH_SIZE(32, 100, 260, 1400)
#endif

static void kernel_covariance(int m, int n, DATA_TYPE data[N][M], DATA_TYPE cov[M][M],
                              DATA_TYPE mean[M]) {
  int i, j, k;
  DATA_TYPE rows = (DATA_TYPE)n;

  SCOP
  ACC(data copy(data[0:N][0:M]) copyout(cov[0:M][0:M], mean[0:m]))
  {
    ACC(parallel loop)
    for (j = 0; j < m; j++) {
      mean[j] = VAL(0.0);
      for (i = 0; i < n; i++) mean[j] += data[i][j];
      mean[j] /= rows;
    }
    ACC(parallel loop tile(32, 8))
    for (i = 0; i < n; i++)
      for (j = 0; j < m; j++) data[i][j] -= mean[j];
    ACC(parallel loop)
    for (i = 0; i < m; i++) {
      ACC(loop)
      for (j = i; j < m; j++) {
        cov[i][j] = VAL(0.0);
        for (k = 0; k < n; k++) cov[i][j] += data[k][i] * data[k][j];
        cov[i][j] /= rows - VAL(1.0);
        cov[j][i] = cov[i][j];
      }
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(data, N, M);
  BENCH_2D(cov, M, M);
  BENCH_1D(mean, M);
  bench_fill(data, N * M, 1);
  bench_zero(cov, M * M);
  bench_zero(mean, M);

  bench_start();
  kernel_covariance(M, N, data, cov, mean);
  bench_stop();

  bench_show("data", data, N * M);
  bench_show("cov", cov, M * M);
  bench_show("mean", mean, M);
  BENCH_FREE(data);
  BENCH_FREE(cov);
  BENCH_FREE(mean);
  return 0;
}
