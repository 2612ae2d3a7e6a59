/* A filter whose radius is a parameter; terms beside the image are left out. */
#include "bench.h"

static void filter(const float *in, float *out, int h, int w, const float *k, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float s = 0;
      for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
          int yy = y + dy, xx = x + dx;
          if (yy >= 0 && yy < h && xx >= 0 && xx < w) s += in[yy * w + xx] * k[(dy + r) * (2 * r + 1) + dx + r];
        }
      out[y * w + x] = s;
    }
}

int main(void) {
  int h = 500, w = 600;
  float *in = malloc(h * w * sizeof *in), *out = calloc(h * w, sizeof *out), k[25];
  for (int i = 0; i < h * w; i++) in[i] = bench_random(1, i);
  for (int i = 0; i < 25; i++) k[i] = bench_random(2, i);
  bench_start();
  for (int r = 0; r < 10; r++) {
    filter(in, out, h, w, k, 2);
    in[r]++;
  }
  bench_stop();
  double a = 0;
  for (int i = 0; i < h * w; i++) a += out[i] * (i % 7);
  printf("check edgeradius %.10g\n", a);
  free(in);
  free(out);
  return 0;
}
