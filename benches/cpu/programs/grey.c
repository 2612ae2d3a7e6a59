/* Colour to grey: three bytes of each pixel become one. */
#include "bench.h"

#define W 1920
#define H 1080
#define FRAMES 4

static void grey(const unsigned char *restrict rgb, unsigned char *restrict out, int n) {
  for (int i = 0; i < n; i++) {
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    out[i] = (77 * r + 150 * g + 29 * b) >> 8;
  }
}

int main(void) {
  unsigned char *film = malloc((size_t)FRAMES * W * H * 3);
  unsigned char *out = malloc((size_t)W * H);
  unsigned state = 1;
  for (long i = 0; i < (long)FRAMES * W * H * 3; i++) {
    state = state * 1664525u + 1013904223u;
    film[i] = state >> 24;
  }

  long sum = 0;
  bench_start();
  for (int r = 0; r < 80; r++) {
    grey(film + (size_t)(r % FRAMES) * W * H * 3, out, W * H);
    sum += out[(r * 7919) % (W * H)];
  }
  bench_stop();

  for (int i = 0; i < W * H; i++) sum += out[i] * (1 + i % 13);
  printf("check grey %ld %d\n", sum, out[W * H / 2]);
  free(film);
  free(out);
  return 0;
}
