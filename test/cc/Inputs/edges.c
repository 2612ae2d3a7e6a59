#include <stdio.h>
#include <stdlib.h>

/* Filters as they are written at the sides of an image. */

static int mirror(int i, int n) {
  if (i < 0) return -i;
  if (i >= n) return 2 * n - 2 - i;
  return i;
}

static inline int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static void clamped(const float *in, float *out, int h, int w, const float *k, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float s = 0;
      for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++)
          s += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)] * k[(dy + r) * (2 * r + 1) + dx + r];
      out[y * w + x] = s;
    }
}

static void guarded(const float *in, float *out, int h, int w, const float *k, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float s = 0;
      for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
          int yy = y + dy, xx = x + dx;
          if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
          s += in[yy * w + xx] * k[(dy + r) * (2 * r + 1) + dx + r];
        }
      out[y * w + x] = s;
    }
}

static void mirrored(const float *in, float *out, int h, int w) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[y * w + x] = in[y * w + mirror(x - 2, w)] + 3 * in[mirror(y + 1, h) * w + x] + in[y * w + mirror(x + 1, w)];
}

static void wrapped(const float *in, float *out, int h, int w) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int l = (x - 1 + w) % w, r = (x + 1) % w, u = (y + h - 1) % h, d = (y + 1) % h;
      out[y * w + x] = in[y * w + l] + 2 * in[y * w + r] + 3 * in[u * w + x] + 5 * in[d * w + x];
    }
}

static void wrapped_sizes(const float *in, float *out, size_t h, size_t w) {
  for (size_t y = 0; y < h; y++)
    for (size_t x = 0; x < w; x++)
      out[y * w + x] = in[y * w + (x + w - 1) % w] - in[(y + 1) % h * w + x];
}

static void backwards(const float *in, float *out, size_t n) {
  for (size_t i = n - 1; i-- > 0;) out[i] = in[i] + in[i + 1];
}

static unsigned long hash(const float *a, int n) {
  unsigned long s = 5;
  for (int i = 0; i < n; i++) s = s * 31 + (unsigned long)(long)(a[i] * 4);
  return s;
}

int main(void) {
  static const int sizes[][3] = {{64, 96, 2}, {3, 90, 1}, {40, 5, 2}, {1, 1, 0}, {7, 4, 3}, {33, 70, 0}};
  for (int i = 0; i < 6; i++) {
    int h = sizes[i][0], w = sizes[i][1], r = sizes[i][2], n = h * w;
    float *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b), *k = malloc(49 * sizeof *k);
    for (int j = 0; j < n; j++) a[j] = (j * 37 + 11) % 101 - 50;
    for (int j = 0; j < 49; j++) k[j] = j % 5 - 1;
    clamped(a, b, h, w, k, r);
    printf("%d %d: %lu", h, w, hash(b, n));
    guarded(a, b, h, w, k, r);
    printf(" %lu", hash(b, n));
    if (h > 2 && w > 2) mirrored(a, b, h, w);
    printf(" %lu", hash(b, n));
    wrapped(a, b, h, w);
    printf(" %lu", hash(b, n));
    wrapped_sizes(a, b, h, w);
    printf(" %lu", hash(b, n));
    backwards(a, b, n);
    printf(" %lu\n", hash(b, n));
    free(a), free(b), free(k);
  }
  return 0;
}
