/* One picture laid over another one: red, green, blue and opacity are a byte each. */
#include "bench.h"

#define W 800
#define H 600

static void over(const uint8_t *src, uint8_t *dst, int pixels) {
  for (int i = 0; i < pixels; i++) {
    int alpha = src[4 * i + 3];
    for (int c = 0; c < 3; c++) dst[4 * i + c] = (src[4 * i + c] * alpha + dst[4 * i + c] * (255 - alpha)) / 255;
    dst[4 * i + 3] = alpha + dst[4 * i + 3] * (255 - alpha) / 255;
  }
}

/* The same with a pixel as a word, two channels at a time. */
static void fade(const uint32_t *restrict src, uint32_t *restrict dst, int pixels, uint32_t alpha) {
  for (int i = 0; i < pixels; i++) {
    uint32_t s = src[i], d = dst[i];
    uint32_t even = ((s & 0xff00ff) * alpha + (d & 0xff00ff) * (256 - alpha)) >> 8 & 0xff00ff;
    uint32_t odd = (s >> 8 & 0xff00ff) * alpha + (d >> 8 & 0xff00ff) * (256 - alpha);
    dst[i] = even | (odd & 0xff00ff00);
  }
}

int main(void) {
  uint8_t *sprite = malloc(4 * W * H), *screen = malloc(4 * W * H);
  uint32_t *first = malloc(W * H * sizeof *first), *second = malloc(W * H * sizeof *second);
  for (int i = 0; i < 4 * W * H; i++) {
    sprite[i] = bench_random(1, i) * 256;
    screen[i] = bench_random(2, i) * 256;
  }
  for (int i = 0; i < W * H; i++) {
    first[i] = bench_random(3, i) * 4294967295.0;
    second[i] = bench_random(4, i) * 4294967295.0;
  }

  bench_start();
  for (int r = 0; r < 20; r++) {
    over(sprite, screen, W * H);
    fade(first, second, W * H, 40 + r);
    fade(second, first, W * H, 10 + 3 * r);
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < 4 * W * H; i++) sum += screen[i] * (1 + i % 13);
  uint32_t mixed = 0;
  for (int i = 0; i < W * H; i++) mixed = mixed * 33 + (first[i] ^ second[i]);
  printf("check blend %ld %u %d\n", sum, mixed, screen[W * H]);
  free(sprite);
  free(screen);
  free(first);
  free(second);
  return 0;
}
