/* A 3x3 box blur of a grey image, forth and back between two buffers. */
#include "bench.h"

#define W 1280
#define H 720

static uint8_t image[H][W], blurred[H][W];

static void blur(uint8_t in[H][W], uint8_t out[H][W]) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += in[y + dy][x + dx];
      out[y][x] = sum / 9;
    }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) blurred[y][x] = image[y][x] = (x * x / 7 + y * 31 + x * y / 5) & 255;

  bench_start();
  for (int r = 0; r < 40; r++) {
    blur(image, blurred);
    blur(blurred, image);
  }
  bench_stop();

  long sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += image[y][x] * (1 + (x + y) % 13);
  printf("check blur %ld %d %d\n", sum, image[1][1], image[H / 2][W / 3]);
  return 0;
}
