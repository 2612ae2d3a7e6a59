/* Colours from red, green and blue to brightness and two differences, and back. */
#include "bench.h"

#define W 640
#define H 480

static unsigned char clamp(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

static void to_yuv(const unsigned char *rgb, unsigned char *y, unsigned char *u, unsigned char *v, int n) {
  for (int i = 0; i < n; i++) {
    int r = rgb[0], g = rgb[1], b = rgb[2];
    y[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    u[i] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    v[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    rgb += 3;
  }
}

static void to_rgb(const unsigned char *restrict y, const unsigned char *restrict u, const unsigned char *restrict v,
                   unsigned char *restrict rgb, int n) {
  for (int i = 0; i < n; i++) {
    int c = 298 * (y[i] - 16), d = u[i] - 128, e = v[i] - 128;
    rgb[3 * i] = clamp((c + 409 * e + 128) >> 8);
    rgb[3 * i + 1] = clamp((c - 100 * d - 208 * e + 128) >> 8);
    rgb[3 * i + 2] = clamp((c + 516 * d + 128) >> 8);
  }
}

int main(void) {
  static unsigned char rgb[3 * W * H], y[W * H], u[W * H], v[W * H];
  for (int i = 0; i < 3 * W * H; i++) rgb[i] = (unsigned char)(bench_random(5, i) * 256);

  bench_start();
  for (int frame = 0; frame < 80; frame++) {
    to_yuv(rgb, y, u, v, W * H);
    to_rgb(y, v, u, rgb, W * H);
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < W * H; i++) sum += y[i] + 2 * u[i] + 3 * v[i] + rgb[3 * i] * (1 + i % 5) + rgb[3 * i + 2];
  printf("check yuv %ld %d %d %d\n", sum, y[1], u[W], v[W * H / 2]);
  return 0;
}
