/* Colours to hue, saturation and value; the hue turned; and back. */
#include "bench.h"

struct rgb {
  float r, g, b;
};

struct hsv {
  float h, s, v;
};

static struct hsv to_hsv(struct rgb c) {
  float max = c.r > c.g ? c.r : c.g, min = c.r < c.g ? c.r : c.g;
  if (c.b > max) max = c.b;
  if (c.b < min) min = c.b;
  float d = max - min, h;
  if (d == 0)
    h = 0;
  else if (max == c.r)
    h = (c.g - c.b) / d;
  else if (max == c.g)
    h = 2 + (c.b - c.r) / d;
  else
    h = 4 + (c.r - c.g) / d;
  if (h < 0) h += 6;
  return (struct hsv){h, max > 0 ? d / max : 0, max};
}

static struct rgb to_rgb(struct hsv c) {
  int i = (int)c.h;
  float f = c.h - i, p = c.v * (1 - c.s), q = c.v * (1 - c.s * f), t = c.v * (1 - c.s * (1 - f));
  switch (i) {
    case 0: return (struct rgb){c.v, t, p};
    case 1: return (struct rgb){q, c.v, p};
    case 2: return (struct rgb){p, c.v, t};
    case 3: return (struct rgb){p, q, c.v};
    case 4: return (struct rgb){t, p, c.v};
    default: return (struct rgb){c.v, p, q};
  }
}

int main(void) {
  size_t n = 300000;
  struct rgb *px = malloc(n * sizeof *px);
  for (size_t i = 0; i < n; i++) px[i] = (struct rgb){bench_random(1, i), bench_random(2, i), bench_random(3, i)};

  bench_start();
  for (int pass = 0; pass < 18; pass++)
    for (struct rgb *p = px, *end = px + n; p != end; p++) {
      struct hsv c = to_hsv(*p);
      c.h += 0.25f;
      if (c.h >= 6) c.h -= 6;
      *p = to_rgb(c);
    }
  bench_stop();

  double r = 0, g = 0, b = 0;
  for (size_t i = 0; i < n; i++) r += px[i].r, g += px[i].g, b += px[i].b;
  printf("check rgbhsv %.5g %.5g %.5g\n", r, g, b);
  free(px);
  return 0;
}
