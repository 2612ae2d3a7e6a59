/* A box filter by running sums, along the rows and then down the columns. */
#include "bench.h"

static void rows(const uint8_t *src, uint16_t *dst, int w, int h, int r) {
  for (int y = 0; y < h; y++) {
    const uint8_t *s = src + (size_t)y * w;
    uint16_t *d = dst + (size_t)y * w;
    unsigned sum = 0;
    for (int x = -r; x <= r; x++) sum += s[x < 0 ? 0 : x];
    for (int x = 0; x < w; x++) {
      d[x] = sum;
      int in = x + r + 1, out = x - r;
      sum += s[in < w ? in : w - 1];
      sum -= s[out > 0 ? out : 0];
    }
  }
}

static void columns(const uint16_t *src, uint8_t *dst, int w, int h, int r, unsigned *sum) {
  unsigned area = (2 * r + 1) * (2 * r + 1);
  for (int x = 0; x < w; x++) sum[x] = 0;
  for (int y = -r; y <= r; y++)
    for (int x = 0; x < w; x++) sum[x] += src[(y < 0 ? 0 : y) * w + x];
  for (int y = 0; y < h; y++) {
    int in = y + r + 1 < h ? y + r + 1 : h - 1;
    int out = y - r > 0 ? y - r : 0;
    for (int x = 0; x < w; x++) {
      dst[y * w + x] = (sum[x] + area / 2) / area;
      sum[x] += src[in * w + x];
      sum[x] -= src[out * w + x];
    }
  }
}

int main(void) {
  int w = 1000, h = 700;
  uint8_t *a = malloc(w * h);
  uint16_t *t = malloc(w * h * sizeof *t);
  unsigned *sum = malloc(w * sizeof *sum);
  for (int i = 0; i < w * h; i++) a[i] = (uint8_t)(256 * bench_random(2, i));

  bench_start();
  for (int pass = 0; pass < 60; pass++) {
    rows(a, t, w, h, 2 + pass % 4);
    columns(t, a, w, h, 2 + pass % 4, sum);
    for (int i = pass; i < w * h; i += 97) a[i] ^= 0xff;
  }
  bench_stop();

  unsigned long hash = 0;
  for (int i = 0; i < w * h; i++) hash = hash * 131 + a[i];
  printf("check boxrunning %lu %d %d\n", hash, a[0], a[w * h / 2]);
  free(a);
  free(t);
  free(sum);
  return 0;
}
