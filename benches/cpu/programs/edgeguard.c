/* A filter of 5 x 5 terms, of which those beside the image are left out. */
#include "bench.h"

#define H 500
#define W 600
static float in[H][W], out[H][W], k[5][5];

static void filter(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      float s = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          int yy = y + dy, xx = x + dx;
          if (yy < 0 || yy >= H || xx < 0 || xx >= W) continue;
          s += in[yy][xx] * k[dy + 2][dx + 2];
        }
      out[y][x] = s;
    }
}

int main(void) {
  for (int i = 0; i < H * W; i++) in[i / W][i % W] = bench_random(1, i);
  for (int i = 0; i < 25; i++) k[i / 5][i % 5] = bench_random(2, i);
  bench_start();
  for (int r = 0; r < 10; r++) {
    filter();
    in[r][r]++;
  }
  bench_stop();
  double a = 0;
  for (int i = 0; i < H * W; i++) a += out[i / W][i % W] * (i % 7);
  printf("check edgeguard %.10g\n", a);
  return 0;
}
