/* Conway's game of life, a byte for each cell, the border dead. */
#include "bench.h"

#define N 512

static unsigned char world[N][N], next[N][N];

static void generation(unsigned char from[N][N], unsigned char to[N][N]) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      int neighbours = from[i - 1][j - 1] + from[i - 1][j] + from[i - 1][j + 1] + from[i][j - 1] + from[i][j + 1] +
                       from[i + 1][j - 1] + from[i + 1][j] + from[i + 1][j + 1];
      if (neighbours == 3 || (neighbours == 2 && from[i][j]))
        to[i][j] = 1;
      else
        to[i][j] = 0;
    }
}

int main(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) world[i][j] = bench_random(1, i * N + j) < 0.3;

  bench_start();
  for (int t = 0; t < 100; t++) {
    generation(world, next);
    generation(next, world);
  }
  bench_stop();

  long alive = 0, sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      alive += world[i][j];
      sum += world[i][j] * (1 + (i * 7 + j) % 13);
    }
  printf("check world %ld %ld\n", alive, sum);
  return 0;
}
