/* The shortest ways between all towns, by Floyd and Warshall, with the first town of each way. */
#include "bench.h"

#define N 300
#define FAR 1000000

static int d[N][N];
static short first[N][N];

static void plain(void) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}

static void with_ways(void) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++) {
      if (d[i][k] == FAR) continue;
      for (int j = 0; j < N; j++) {
        if (d[i][k] + d[k][j] < d[i][j]) {
          d[i][j] = d[i][k] + d[k][j];
          first[i][j] = first[i][k];
        }
      }
    }
}

static void roads(int seed) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double r = bench_random(seed, i * N + j);
      d[i][j] = i == j ? 0 : r < 0.1 ? 1 + (int)(r * 10000) : FAR;
      first[i][j] = d[i][j] < FAR ? j : -1;
    }
}

int main(void) {
  long sum = 0;
  bench_start();
  for (int r = 0; r < 2; r++) {
    roads(r + 1);
    plain();
    for (int i = 0; i < N; i++) sum += d[i][(i * 7 + r) % N];
    roads(r + 10);
    with_ways();
  }
  bench_stop();

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += d[i][j] * (1 + (i + j) % 13) + first[i][j] * (1 + j % 3);
  printf("check ways %ld %d %d\n", sum, d[1][N - 1], first[N / 2][0]);
  return 0;
}
