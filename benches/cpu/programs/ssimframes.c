/* PSNR and SSIM of two greyscale frames, 8 by 8 windows at a stride of 4, as encoders do it. */
#include "bench.h"

#define W 640
#define H 360
static uint8_t ref[H][W], enc[H][W];
static int sums[2][W / 4][4];

static void sums4x4(const uint8_t *a, const uint8_t *b, int stride, int out[4]) {
  uint32_t s1 = 0, s2 = 0, ss = 0, s12 = 0;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) {
      int p = a[x + y * stride], q = b[x + y * stride];
      s1 += p;
      s2 += q;
      ss += p * p + q * q;
      s12 += p * q;
    }
  out[0] = s1;
  out[1] = s2;
  out[2] = ss;
  out[3] = s12;
}

static float ssim_end(int s1, int s2, int ss, int s12) {
  const int c1 = (int)(.01 * .01 * 255 * 255 * 64 + .5), c2 = (int)(.03 * .03 * 255 * 255 * 64 * 63 + .5);
  int vars = ss * 64 - s1 * s1 - s2 * s2, covar = s12 * 64 - s1 * s2;
  return (float)(2 * s1 * s2 + c1) * (float)(2 * covar + c2) /
         ((float)(s1 * s1 + s2 * s2 + c1) * (float)(vars + c2));
}

static double ssim_plane(const uint8_t *a, const uint8_t *b, int stride, int width, int height) {
  double total = 0;
  int(*now)[4] = sums[0], (*last)[4] = sums[1];
  int w4 = width / 4, h4 = height / 4;
  for (int y = 0; y < h4; y++) {
    int(*t)[4] = last;
    last = now;
    now = t;
    for (int x = 0; x < w4; x++) sums4x4(a + 4 * (x + y * stride), b + 4 * (x + y * stride), stride, now[x]);
    if (y == 0) continue;
    for (int x = 0; x + 1 < w4; x++) {
      int s[4];
      for (int k = 0; k < 4; k++) s[k] = now[x][k] + now[x + 1][k] + last[x][k] + last[x + 1][k];
      total += ssim_end(s[0], s[1], s[2], s[3]);
    }
  }
  return total / ((h4 - 1) * (w4 - 1));
}

static double psnr_plane(void) {
  uint64_t sse = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int d = ref[y][x] - enc[y][x];
      sse += d * d;
    }
  return 10 * log10(255.0 * 255.0 * W * H / (double)sse);
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int v = (int)(128 + 60 * sin(x * 0.05) + 50 * cos(y * 0.09 + x * 0.01) + 10 * bench_random(1, y * W + x));
      ref[y][x] = v > 255 ? 255 : v;
      enc[y][x] = (uint8_t)((ref[y][x] / 6) * 6 + 2);
    }
  double s = 0, p = 0;
  bench_start();
  for (int f = 0; f < 150; f++) {
    for (int x = 0; x < W; x++) enc[(f * 37) % H][x] ^= f & 7;
    s += ssim_plane(ref[0], enc[0], W, W, H);
    p += psnr_plane();
  }
  bench_stop();
  printf("check ssimframes %.10g %.10g\n", s, p);
  return 0;
}
