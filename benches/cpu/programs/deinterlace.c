/* Edge directed deinterlacing (ELA with a motion test) of 4:2:0 frames; chroma is bobbed. */
#include "bench.h"
#include <string.h>

#define W 352
#define H 288

typedef struct {
  uint8_t *plane[3];
  int pitch[3], width[3], height[3];
} Picture;

static Picture picture(void) {
  Picture p;
  for (int i = 0; i < 3; i++) {
    p.width[i] = i ? W / 2 : W;
    p.height[i] = i ? H / 2 : H;
    p.pitch[i] = p.width[i] + 16;
    p.plane[i] = calloc(p.pitch[i] * p.height[i], 1);
  }
  return p;
}

static void release(Picture *p) {
  for (int i = 0; i < 3; i++) free(p->plane[i]);
}

static void ela_line(uint8_t *d, const uint8_t *up, const uint8_t *down, const uint8_t *cur, const uint8_t *prev, int w) {
  d[0] = (up[0] + down[0] + 1) >> 1;
  d[w - 1] = (up[w - 1] + down[w - 1] + 1) >> 1;
  for (int x = 1; x < w - 1; x++) {
    if (abs(cur[x] - prev[x]) < 6) {
      d[x] = cur[x];
      continue;
    }
    int dl = abs(up[x - 1] - down[x + 1]), dc = abs(up[x] - down[x]) - 4, dr = abs(up[x + 1] - down[x - 1]);
    if (dc <= dl && dc <= dr)
      d[x] = (up[x] + down[x] + 1) >> 1;
    else if (dl < dr)
      d[x] = (up[x - 1] + down[x + 1] + 1) >> 1;
    else
      d[x] = (up[x + 1] + down[x - 1] + 1) >> 1;
  }
}

static void deinterlace(Picture *dst, const Picture *cur, const Picture *prev, int field) {
  for (int p = 0; p < 3; p++) {
    int w = cur->width[p], h = cur->height[p], pitch = cur->pitch[p];
    for (int y = 0; y < h; y++) {
      const uint8_t *s = cur->plane[p] + y * pitch;
      uint8_t *d = dst->plane[p] + y * pitch;
      if ((y & 1) == field || y == 0 || y == h - 1)
        memcpy(d, s, w);
      else if (p == 0)
        ela_line(d, s - pitch, s + pitch, s, prev->plane[p] + y * pitch, w);
      else
        for (int x = 0; x < w; x++) d[x] = (s[x - pitch] + s[x + pitch] + 1) >> 1;
    }
  }
}

static void shoot(Picture *pic, int t) {
  for (int p = 0; p < 3; p++)
    for (int y = 0; y < pic->height[p]; y++)
      for (int x = 0; x < pic->width[p]; x++) {
        int u = (x + (y & 1 ? t + 1 : t) * 3) & 63, v = (y + t) & 31;
        pic->plane[p][y * pic->pitch[p] + x] = (uint8_t)(p ? 128 + u - v : (x < W / 2 ? u * 3 : 90 + v * 4));
      }
}

int main(void) {
  Picture film[4], out = picture();
  for (int i = 0; i < 4; i++) {
    film[i] = picture();
    shoot(&film[i], i);
  }
  unsigned long sum = 0;
  bench_start();
  for (int t = 1; t <= 500; t++) {
    deinterlace(&out, &film[t & 3], &film[(t - 1) & 3], t & 1);
    for (int p = 0; p < 3; p++)
      for (int y = t % 5; y < out.height[p]; y += 5) {
        const uint8_t *row = out.plane[p] + y * out.pitch[p];
        for (int x = 0; x < out.width[p]; x++) sum += row[x] * (unsigned)(x & 15);
      }
  }
  bench_stop();
  printf("check deinterlace %lu\n", sum);
  for (int i = 0; i < 4; i++) release(&film[i]);
  release(&out);
  return 0;
}
