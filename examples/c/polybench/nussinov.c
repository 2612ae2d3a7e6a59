/* RNA folding by dynamic programming: table[i][j] is the largest number of base pairs among
   the bases i .. j of seq. Two bases that add up to 3 pair, unless they are neighbours. */
#define DATA_TYPE int
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(60, 180, 500, 1500)
#endif

#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define PAIR(a, b) ((a) + (b) == 3 ? 1 : 0)

static void kernel_nussinov(int n, DATA_TYPE seq[N], DATA_TYPE table[N][N]) {
  int i, j, k;

  SCOP
  ACC(kernels copyin(seq[0:n]) copy(table[0:N][0:N]))
  for (i = n - 1; i >= 0; i--)
    for (j = i + 1; j < n; j++) {
      if (j - 1 >= 0) table[i][j] = MAX(table[i][j], table[i][j - 1]);
      if (i + 1 < n) table[i][j] = MAX(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
        if (i < j - 1)
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + PAIR(seq[i], seq[j]));
        else
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1]);
      }
      for (k = i + 1; k < j; k++) table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
    }
  ENDSCOP
}

int main(void) {
  BENCH_1D(seq, N);
  BENCH_2D(table, N, N);
  for (int i = 0; i < N; i++) seq[i] = (int)(bench_random(1, i) * 4);
  bench_zero(table, N * N);

  bench_start();
  kernel_nussinov(N, seq, table);
  bench_stop();

  bench_show("table", table, N * N);
  BENCH_FREE(seq);
  BENCH_FREE(table);
  return 0;
}
