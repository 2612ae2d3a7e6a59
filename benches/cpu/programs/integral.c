/* The sums of all rectangles of an image from its corner, and by them means and variances about each pixel. */
#include "bench.h"

#define W 640
#define H 480
#define R 6

static unsigned char image[H][W], result[H][W];
static unsigned sums[H + 1][W + 1];
static uint64_t squares[H + 1][W + 1];

static void integrate(void) {
  for (int y = 0; y < H; y++) {
    unsigned row = 0;
    uint64_t row2 = 0;
    for (int x = 0; x < W; x++) {
      row += image[y][x];
      row2 += image[y][x] * image[y][x];
      sums[y + 1][x + 1] = sums[y][x + 1] + row;
      squares[y + 1][x + 1] = squares[y][x + 1] + row2;
    }
  }
}

static void compare(void) {
  const int area = (2 * R + 1) * (2 * R + 1);
  for (int y = R; y < H - R; y++)
    for (int x = R; x < W - R; x++) {
      int y0 = y - R, y1 = y + R + 1, x0 = x - R, x1 = x + R + 1;
      unsigned s = sums[y1][x1] - sums[y0][x1] - sums[y1][x0] + sums[y0][x0];
      uint64_t q = squares[y1][x1] - squares[y0][x1] - squares[y1][x0] + squares[y0][x0];
      float mean = (float)s / area;
      float variance = (float)q / area - mean * mean;
      if (variance > 400.0f)
        result[y][x] = image[y][x] > mean ? 255 : 0;
      else
        result[y][x] = image[y][x] / 2;
    }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      image[y][x] = (unsigned char)((x * y / 30 & 127) + bench_random(1, y * W + x) * (x / 6));

  bench_start();
  for (int r = 0; r < 60; r++) {
    integrate();
    compare();
    image[100][r * 10] ^= 255;
  }
  bench_stop();

  long sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += result[y][x] * (1 + (x + y) % 13);
  printf("check integral %ld %u %llu\n", sum, sums[H][W], (unsigned long long)squares[H][W]);
  return 0;
}
