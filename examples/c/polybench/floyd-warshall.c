/* The lengths of the shortest paths between all pairs of N nodes, from the lengths of the
   edges, in place. */
#define DATA_TYPE int
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(60, 180, 500, 1400)
#endif

static void kernel_floyd_warshall(int n, DATA_TYPE path[N][N]) {
  int i, j, k;

  SCOP
  ACC(data copy(path[0:N][0:N]))
  for (k = 0; k < n; k++) {
    ACC(parallel loop gang)
    for (i = 0; i < n; i++) {
      ACC(loop vector)
      for (j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(path, N, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      path[i][j] = i == j ? 0 : 1 + (int)(bench_random(1, (uint64_t)i * N + j) * 999);

  bench_start();
  kernel_floyd_warshall(N, path);
  bench_stop();

  bench_show("path", path, N * N);
  BENCH_FREE(path);
  return 0;
}
