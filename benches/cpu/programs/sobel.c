/* Edges of a grey image by Sobel's two masks, the strength kept within a byte. */
#include "bench.h"

#define W 1024
#define H 768

static unsigned char picture[H][W], edges[H][W];

static void sobel(void) {
  for (int y = 1; y < H - 1; y++) {
    for (int x = 1; x < W - 1; x++) {
      int gx = -picture[y - 1][x - 1] + picture[y - 1][x + 1] - 2 * picture[y][x - 1] + 2 * picture[y][x + 1] -
               picture[y + 1][x - 1] + picture[y + 1][x + 1];
      int gy = -picture[y - 1][x - 1] - 2 * picture[y - 1][x] - picture[y - 1][x + 1] + picture[y + 1][x - 1] +
               2 * picture[y + 1][x] + picture[y + 1][x + 1];
      int strength = (abs(gx) + abs(gy)) / 2;
      if (strength > 255) strength = 255;
      edges[y][x] = strength;
    }
  }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) picture[y][x] = (x * y / 40 + 90 * (int)(bench_random(1, y * W + x) * 2)) & 255;

  long sum = 0;
  bench_start();
  for (int r = 0; r < 30; r++) {
    sobel();
    sum += edges[H / 2][r + 1];
    picture[H / 2][r + 1] ^= 64;
  }
  bench_stop();

  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += edges[y][x] * (1 + (x + y) % 11);
  printf("check sobel %ld %d %d\n", sum, edges[1][1], edges[H / 3][W / 3]);
  return 0;
}
