/* Five taps along rows and columns of shorts, mirrored at the sides. */
#include "bench.h"

static int mirror(int i, int n) {
  if (i < 0) return -i;
  if (i >= n) return 2 * n - 2 - i;
  return i;
}

static void rows(const short *in, short *out, int h, int w) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int s = in[y * w + mirror(x - 2, w)] + 4 * in[y * w + mirror(x - 1, w)] + 6 * in[y * w + x] +
              4 * in[y * w + mirror(x + 1, w)] + in[y * w + mirror(x + 2, w)];
      out[y * w + x] = (s + 8) >> 4;
    }
}

static void columns(const short *in, short *out, int h, int w) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int s = in[mirror(y - 2, h) * w + x] + 4 * in[mirror(y - 1, h) * w + x] + 6 * in[y * w + x] +
              4 * in[mirror(y + 1, h) * w + x] + in[mirror(y + 2, h) * w + x];
      out[y * w + x] = (s + 8) >> 4;
    }
}

int main(void) {
  int h = 600, w = 800;
  short *a = malloc(h * w * sizeof *a), *b = malloc(h * w * sizeof *b);
  for (int i = 0; i < h * w; i++) a[i] = bench_random(1, i) * 1000;
  bench_start();
  for (int r = 0; r < 20; r++) {
    rows(a, b, h, w);
    columns(b, a, h, w);
  }
  bench_stop();
  long s = 0;
  for (int i = 0; i < h * w; i++) s = s * 31 + a[i];
  printf("check edgemirror %ld\n", s);
  free(a);
  free(b);
  return 0;
}
