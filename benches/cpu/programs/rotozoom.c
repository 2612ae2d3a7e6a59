/* A picture turned and enlarged, nearest sample, fixed point; then shrunk by area means. */
#include "bench.h"

typedef struct {
  unsigned w, h;
  uint32_t *p;
} bitmap;

static bitmap bitmap_new(unsigned w, unsigned h) { return (bitmap){w, h, calloc((size_t)w * h, 4)}; }

static void rotozoom(const bitmap *src, bitmap *dst, int ca, int sa) {
  uint32_t *out = dst->p;
  int u0 = (int)(src->w << 15) - (int)dst->w / 2 * ca + (int)dst->h / 2 * sa;
  int v0 = (int)(src->h << 15) - (int)dst->w / 2 * sa - (int)dst->h / 2 * ca;
  for (unsigned y = 0; y < dst->h; y++) {
    int u = u0, v = v0;
    for (unsigned x = 0; x < dst->w; x++) {
      unsigned sx = (unsigned)(u >> 16), sy = (unsigned)(v >> 16);
      *out++ = sx < src->w && sy < src->h ? src->p[sy * src->w + sx] : 0xff000000u;
      u += ca;
      v += sa;
    }
    u0 -= sa;
    v0 += ca;
  }
}

static void shrink(const bitmap *src, bitmap *dst) {
  for (unsigned y = 0; y < dst->h; y++)
    for (unsigned x = 0; x < dst->w; x++) {
      unsigned r = 0, g = 0, b = 0;
      for (unsigned j = 0; j < 4; j++)
        for (unsigned i = 0; i < 4; i++) {
          uint32_t c = src->p[(4 * y + j) * src->w + 4 * x + i];
          r += c >> 16 & 255;
          g += c >> 8 & 255;
          b += c & 255;
        }
      dst->p[y * dst->w + x] = 0xff000000u | (r + 8) / 16 << 16 | (g + 8) / 16 << 8 | (b + 8) / 16;
    }
}

int main(void) {
  bitmap a = bitmap_new(400, 300), b = bitmap_new(640, 480), c = bitmap_new(160, 120);
  for (unsigned i = 0; i < 400 * 300; i++)
    a.p[i] = 0xff000000u | (i % 400 & 255) << 16 | (i / 400 & 255) << 8 | (unsigned)(bench_random(1, i) * 256);

  uint32_t hash = 0;
  bench_start();
  for (int frame = 0; frame < 240; frame++) {
    int ca = 60000 - 300 * frame, sa = 230 * frame - 20000;
    rotozoom(&a, &b, ca, sa);
    shrink(&b, &c);
    for (unsigned i = 0; i < c.w * c.h; i++) hash = (hash ^ c.p[i]) * 16777619u;
  }
  bench_stop();
  printf("check rotozoom %u\n", hash);
  free(a.p);
  free(b.p);
  free(c.p);
  return 0;
}
