/* A bilateral filter: weights by distance and by difference, the second from a table. */
#include "bench.h"

#define R 3
#define SIDE (2 * R + 1)

struct image {
  int w, h;
  unsigned char *px;
};

static float space[SIDE * SIDE], range[256];

static void tables(float ss, float sr) {
  float *p = space;
  for (int y = -R; y <= R; y++)
    for (int x = -R; x <= R; x++) *p++ = expf(-(x * x + y * y) / (2 * ss * ss));
  for (int i = 0; i < 256; i++) range[i] = expf(-(i * i) / (2 * sr * sr));
}

static void filter(const struct image *src, struct image *dst) {
  int w = src->w, h = src->h;
  for (int y = R; y < h - R; y++) {
    for (int x = R; x < w - R; x++) {
      int centre = src->px[y * w + x];
      float sum = 0, norm = 0;
      for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
          int v = src->px[(y + dy) * w + x + dx];
          float k = space[(dy + R) * SIDE + dx + R] * range[abs(v - centre)];
          sum += k * v;
          norm += k;
        }
      dst->px[y * w + x] = (unsigned char)(sum / norm + 0.5f);
    }
  }
}

int main(void) {
  struct image a = {480, 320, NULL}, b = a;
  size_t n = (size_t)a.w * a.h;
  a.px = malloc(n);
  b.px = calloc(n, 1);
  for (size_t i = 0; i < n; i++)
    a.px[i] = (i % a.w / 40 + i / a.w / 40) % 2 * 120 + 40 + (int)(30 * bench_random(8, i));
  tables(2.0f, 25.0f);

  bench_start();
  for (int r = 0; r < 16; r++) {
    filter(&a, &b);
    for (size_t i = r; i < n; i += 37) a.px[i] ^= 5;
  }
  bench_stop();

  long sum = 0, edges = 0;
  for (size_t i = 0; i < n; i++) sum += b.px[i];
  for (size_t i = 1; i < n; i++) edges += abs(b.px[i] - b.px[i - 1]) > 60;
  printf("check bilateral %ld %ld\n", (sum + 500) / 1000, edges);
  free(a.px);
  free(b.px);
  return 0;
}
