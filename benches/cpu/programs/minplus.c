/* The product of two matrices in which the sum is the least and the product the sum: ways of two legs. */
#include "bench.h"

#define N 400

static int a[N][N], b[N][N], c[N][N];

static void minplus(int n, int a[N][N], int b[N][N], int c[N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int best = 1 << 30;
      for (int k = 0; k < n; k++)
        if (a[i][k] + b[k][j] < best) best = a[i][k] + b[k][j];
      c[i][j] = best;
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (int)(1000 * bench_random(1, i * N + j));
      b[i][j] = (int)(1000 * bench_random(2, i * N + j));
    }

  bench_start();
  minplus(N, a, b, c);
  minplus(N, b, c, a);
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += (long)a[i][j] * (1 + (i + j) % 13);
  printf("check ways %ld %d %d\n", sum, a[0][0], c[N / 2][N / 3]);
  return 0;
}
