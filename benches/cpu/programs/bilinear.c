/* An image made larger and smaller: between four pixels, in floating point and in fixed point. */
#include "bench.h"

static void resize(const unsigned char *in, int w, int h, unsigned char *out, int ow, int oh) {
  float sx = (float)(w - 1) / ow, sy = (float)(h - 1) / oh;
  for (int y = 0; y < oh; y++) {
    for (int x = 0; x < ow; x++) {
      int ix = (int)(x * sx), iy = (int)(y * sy);
      float fx = x * sx - ix, fy = y * sy - iy;
      int at = iy * w + ix;
      float value = in[at] * (1 - fx) * (1 - fy) + in[at + 1] * fx * (1 - fy) + in[at + w] * (1 - fx) * fy +
                    in[at + w + 1] * fx * fy;
      out[y * ow + x] = (unsigned char)(value + 0.5f);
    }
  }
}

static void resize_fixed(const unsigned char *restrict in, unsigned w, unsigned h, unsigned char *restrict out,
                         unsigned ow, unsigned oh) {
  unsigned sx = ((w - 1) << 16) / ow, sy = ((h - 1) << 16) / oh;
  for (unsigned y = 0; y < oh; y++) {
    unsigned fy = (y * sy >> 8) & 255;
    const unsigned char *row = in + (y * sy >> 16) * w;
    for (unsigned x = 0; x < ow; x++) {
      unsigned ix = x * sx >> 16, fx = (x * sx >> 8) & 255;
      unsigned top = row[ix] * (256 - fx) + row[ix + 1] * fx;
      unsigned bottom = row[ix + w] * (256 - fx) + row[ix + w + 1] * fx;
      out[y * ow + x] = (top * (256 - fy) + bottom * fy) >> 16;
    }
  }
}

int main(void) {
  int w = 640, h = 360, lw = 1000, lh = 700;
  unsigned char *image = malloc(w * h), *large = malloc(lw * lh);
  for (int i = 0; i < w * h; i++) image[i] = (unsigned char)(bench_random(1, i / 3) * 256);

  bench_start();
  for (int r = 0; r < 20; r++) {
    resize(image, w, h, large, lw, lh);
    resize_fixed(large, lw, lh, image, w, h);
    resize_fixed(image, w, h, large, lw, lh);
    image[r] += 77;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < lw * lh; i++) sum += large[i] * (1 + i % 13);
  for (int i = 0; i < w * h; i++) sum += image[i] * (1 + i % 7);
  printf("check resized %ld %d %d\n", sum, large[lw], image[w * h / 2]);
  free(image);
  free(large);
  return 0;
}
