/* Correlation of the M columns of a table of N rows. The columns of data are centred and
   scaled in place. */
#include "bench.h"

#ifndef M
#define M BENCH_SIZE(28, 80, 240, 1200)
#endif
#ifndef N
#define N BENCH_SIZE(32, 100, 260, 1400)
#endif

static void kernel_correlation(int m, int n, DATA_TYPE data[N][M], DATA_TYPE corr[M][M],
                               DATA_TYPE mean[M], DATA_TYPE stddev[M]) {
  int i, j, k;
  DATA_TYPE eps = VAL(0.1);
  DATA_TYPE rows = (DATA_TYPE)n;

  SCOP
  ACC(data copy(data[0:N][0:M], corr[0:M][0:M]) copyout(mean[0:m], stddev[0:m]))
  {
    ACC(parallel loop)
    for (j = 0; j < m; j++) {
      mean[j] = VAL(0.0);
      for (i = 0; i < n; i++) mean[j] += data[i][j];
      mean[j] /= rows;
    }
    ACC(parallel loop)
    for (j = 0; j < m; j++) {
      stddev[j] = VAL(0.0);
      for (i = 0; i < n; i++) stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
      stddev[j] /= rows;
      stddev[j] = SQRT(stddev[j]);
      stddev[j] = stddev[j] <= eps ? VAL(1.0) : stddev[j];
    }
    ACC(parallel loop collapse(2))
    for (i = 0; i < n; i++)
      for (j = 0; j < m; j++) {
        data[i][j] -= mean[j];
        data[i][j] /= SQRT(rows) * stddev[j];
      }
    ACC(parallel loop)
    for (i = 0; i < m - 1; i++) {
      corr[i][i] = VAL(1.0);
      ACC(loop)
      for (j = i + 1; j < m; j++) {
        corr[i][j] = VAL(0.0);
        for (k = 0; k < n; k++) corr[i][j] += data[k][i] * data[k][j];
        corr[j][i] = corr[i][j];
      }
    }
    ACC(serial)
    corr[m - 1][m - 1] = VAL(1.0);
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(data, N, M);
  BENCH_2D(corr, M, M);
  BENCH_1D(mean, M);
  BENCH_1D(stddev, M);
  bench_fill(data, N * M, 1);
  bench_zero(corr, M * M);
  bench_zero(mean, M);
  bench_zero(stddev, M);

  bench_start();
  kernel_correlation(M, N, data, corr, mean, stddev);
  bench_stop();

  bench_show("data", data, N * M);
  bench_show("corr", corr, M * M);
  bench_show("mean", mean, M);
  bench_show("stddev", stddev, M);
  BENCH_FREE(data);
  BENCH_FREE(corr);
  BENCH_FREE(mean);
  BENCH_FREE(stddev);
  return 0;
}
