/* Tables filled from below: products in the best order, the longest rising run, sums that can be had, trees. */
#include "bench.h"
#include <limits.h>
#include <string.h>

#define N 150
#define M 2000
#define SUM 20000

static int size[N + 1];
static long cost[N][N];
static int cut[N][N];
static int numbers[M], length[M];
static unsigned char can[SUM + 1];

static long products(int n) {
  for (int i = 0; i < n; i++) cost[i][i] = 0;
  for (int len = 2; len <= n; len++)
    for (int i = 0; i + len <= n; i++) {
      int j = i + len - 1;
      cost[i][j] = LONG_MAX;
      for (int k = i; k < j; k++) {
        long c = cost[i][k] + cost[k + 1][j] + (long)size[i] * size[k + 1] * size[j + 1];
        if (c < cost[i][j]) {
          cost[i][j] = c;
          cut[i][j] = k;
        }
      }
    }
  return cost[0][n - 1];
}

static int rising(void) {
  int best = 0;
  for (int i = 0; i < M; i++) {
    length[i] = 1;
    for (int j = 0; j < i; j++)
      if (numbers[j] < numbers[i] && length[j] + 1 > length[i]) length[i] = length[j] + 1;
    if (length[i] > best) best = length[i];
  }
  return best;
}

static int sums(int many) {
  memset(can, 0, sizeof can);
  can[0] = 1;
  for (int i = 0; i < many; i++)
    for (int s = SUM; s >= numbers[i]; s--)
      if (can[s - numbers[i]]) can[s] = 1;
  int count = 0;
  for (int s = 0; s <= SUM; s++) count += can[s];
  return count;
}

int main(void) {
  for (int i = 0; i <= N; i++) size[i] = 5 + (int)(bench_random(1, i) * 50);
  for (int i = 0; i < M; i++) numbers[i] = 1 + (int)(bench_random(2, i) * 9000);

  long total = 0;
  bench_start();
  for (int r = 0; r < 20; r++) {
    total += products(N);
    total += rising();
    total += sums(100);
    numbers[r] += 31;
    size[r] += 3;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) sum += cost[i][j] % 1000 + cut[i][j];
  printf("check chain %ld %ld\n", total, sum);
  return 0;
}
