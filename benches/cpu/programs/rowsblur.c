/* A box filter and a threshold on an image of byte rows, with a colour plane each. */
#include "bench.h"
#define W 640
#define H 480
typedef unsigned char byte;
static byte **image(void) {
  byte **im = malloc(H * sizeof *im);
  byte *all = malloc(W * H);
  for (int y = 0; y < H; y++) im[y] = all + (H - 1 - y) * W;
  return im;
}
static void blur(byte **src, byte **dst, int w, int h) {
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int s = 0;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += src[y + j][x + i];
      dst[y][x] = (byte)(s / 9);
    }
}
static void threshold(byte **im, int w, int h, int t) {
  for (int y = 0; y < h; y++) {
    byte *row = im[y];
    for (int x = 0; x < w; x++) row[x] = row[x] > t ? 255 : row[x] / 2;
  }
}
int main(void) {
  byte **a = image(), **b = image();
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) a[y][x] = (byte)(255 * bench_random(1, y * W + x)), b[y][x] = 7;
  bench_start();
  for (int r = 0; r < 40; r++) {
    blur(a, b, W, H);
    blur(b, a, W, H);
    threshold(r & 1 ? a : b, W, H, 130 + r);
  }
  bench_stop();
  unsigned long s = 0;
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) s = s * 31 + a[y][x] + b[y][x];
  printf("check rowsblur %lu\n", s);
  return 0;
}
