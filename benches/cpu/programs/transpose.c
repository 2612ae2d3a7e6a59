/* A matrix transposed into another one, forth and back. */
#include "bench.h"

#define N 1500
#define M 1200

static double a[N][M], b[M][N];

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] = bench_random(1, i * M + j);

  bench_start();
  for (int r = 0; r < 10; r++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) b[j][i] = a[i][j];
    b[r][2 * r] += 1;
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) a[j][i] = b[i][j];
    a[3 * r][r] += 1;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += a[i][j] * (1 + (i + 2 * j) % 13);
  printf("check a %.17g %.17g %.17g\n", sum, a[0][0], b[M / 2][N / 3]);
  return 0;
}
