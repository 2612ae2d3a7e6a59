/* The squared distance of each pixel to the nearest one set: columns, then parabolas along rows. */
#include "bench.h"

#define FAR 100000

static void columns(int w, int h, const unsigned char *set, int *g) {
  for (int x = 0; x < w; x++) {
    g[x] = set[x] ? 0 : FAR;
    for (int y = 1; y < h; y++) g[y * w + x] = set[y * w + x] ? 0 : g[(y - 1) * w + x] + 1;
    for (int y = h - 2; y >= 0; y--)
      if (g[(y + 1) * w + x] + 1 < g[y * w + x]) g[y * w + x] = g[(y + 1) * w + x] + 1;
  }
}

static inline long f(long x, long i, const int *g) { return (x - i) * (x - i) + (long)g[i] * g[i]; }

static void row(int w, const int *g, long *out, int *s, int *t) {
  int q = 0;
  s[0] = t[0] = 0;
  for (int u = 1; u < w; u++) {
    while (q >= 0 && f(t[q], s[q], g) > f(t[q], u, g)) q--;
    if (q < 0) {
      q = 0;
      s[0] = u;
    } else {
      long i = s[q];
      long sep = ((long)u * u - i * i + (long)g[u] * g[u] - (long)g[i] * g[i]) / (2 * (u - i));
      long from = sep + 1;
      if (from < w) {
        q++;
        s[q] = u;
        t[q] = (int)from;
      }
    }
  }
  for (int u = w - 1; u >= 0; u--) {
    out[u] = f(u, s[q], g);
    if (u == t[q]) q--;
  }
}

int main(void) {
  int w = 800, h = 600;
  unsigned char *set = malloc(w * h);
  int *g = malloc(w * h * sizeof(int)), *s = malloc(2 * w * sizeof(int)), *t = s + w;
  long *d = malloc(w * h * sizeof(long));
  for (int i = 0; i < w * h; i++) set[i] = bench_random(1, i) < 0.002;

  long sum = 0, max = 0;
  bench_start();
  for (int r = 0; r < 20; r++) {
    columns(w, h, set, g);
    for (int y = 0; y < h; y++) row(w, g + y * w, d + y * w, s, t);
    for (int i = 0; i < w * h; i++) {
      sum += d[i];
      if (d[i] > max) max = d[i];
    }
    set[r * 20000 + 17 * r] ^= 1;
  }
  bench_stop();
  printf("check distancetransform %ld %ld\n", sum, max);
  free(set);
  free(g);
  free(s);
  free(d);
  return 0;
}
