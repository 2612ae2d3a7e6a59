/* A 5x5 convolution, whose weights are in an array. */
#include "bench.h"

#define N 768
#define K 5

static float image[N][N], result[N][N], weights[K][K];

static void convolve(void) {
  for (int i = 2; i < N - 2; i++)
    for (int j = 2; j < N - 2; j++) {
      float sum = 0.0f;
      for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++) sum += image[i + p - 2][j + q - 2] * weights[p][q];
      result[i][j] = sum;
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) image[i][j] = (float)bench_random(1, i * N + j);
  for (int p = 0; p < K; p++)
    for (int q = 0; q < K; q++) weights[p][q] = 1.0f / (float)(1 + (p - 2) * (p - 2) + (q - 2) * (q - 2)) / 10.0f;

  bench_start();
  for (int r = 0; r < 16; r++) {
    convolve();
    image[r + 2][r + 3] = result[N / 2][N / 2 + r];
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += (double)result[i][j] * (1 + (i + j) % 13);
  printf("check result %.17g %.9g %.9g\n", sum, result[2][2], result[N / 2][N / 3]);
  return 0;
}
