/* Grey made of black and white: by a matrix of thresholds, and by handing the error on to the neighbours. */
#include "bench.h"

#define W 400
#define H 300

static unsigned char grey[H][W], ordered[H][W], diffused[H][W];

static void by_matrix(void) {
  static const unsigned char matrix[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) ordered[y][x] = grey[y][x] > matrix[y & 3][x & 3] * 16 + 8 ? 255 : 0;
}

static void by_error(void) {
  static int now[W + 2], below[W + 2];
  for (int x = 0; x < W + 2; x++) now[x] = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W + 2; x++) below[x] = 0;
    for (int x = 0; x < W; x++) {
      int v = grey[y][x] + now[x + 1] / 16;
      int out = v > 127 ? 255 : 0;
      int error = v - out;
      diffused[y][x] = (unsigned char)out;
      now[x + 2] += error * 7;
      below[x] += error * 3;
      below[x + 1] += error * 5;
      below[x + 2] += error;
    }
    for (int x = 0; x < W + 2; x++) now[x] = below[x];
  }
}

static void bits(unsigned char out[H][W / 8]) {
  for (int y = 0; y < H; y++)
    for (int b = 0; b < W / 8; b++) {
      unsigned char byte = 0;
      for (int k = 0; k < 8; k++) byte = (unsigned char)(byte << 1 | (diffused[y][8 * b + k] != 0));
      out[y][b] = byte;
    }
}

int main(void) {
  static unsigned char packed[H][W / 8];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) grey[y][x] = (unsigned char)(127 + 100 * sin(x * 0.02 + y * 0.01) + 20 * bench_random(1, y * W + x));

  long total = 0;
  bench_start();
  for (int r = 0; r < 120; r++) {
    by_matrix();
    by_error();
    bits(packed);
    total += packed[r][r % (W / 8)] + ordered[r][r];
    grey[r][r * 2] += 40;
  }
  bench_stop();

  long sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += (ordered[y][x] & 3) * (1 + x % 5) + (diffused[y][x] & 5) + packed[y][x / 8];
  printf("check dither %ld %ld\n", total, sum);
  return 0;
}
