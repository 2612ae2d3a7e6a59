/* A software rasteriser: edge functions in 28.4 fixed point, a depth buffer, flat shading. */
#include "bench.h"
#include <string.h>

#define W 480
#define H 320

typedef struct { int x, y, z; } Vertex;

typedef struct {
  uint32_t color[H * W];
  int depth[H * W];
  long drawn;
} Framebuffer;

static Framebuffer fb;

#define MIN3(a, b, c) ((a) < (b) ? ((a) < (c) ? (a) : (c)) : ((b) < (c) ? (b) : (c)))
#define MAX3(a, b, c) ((a) > (b) ? ((a) > (c) ? (a) : (c)) : ((b) > (c) ? (b) : (c)))

static void triangle(Framebuffer *f, Vertex a, Vertex b, Vertex c, uint32_t color) {
  int area = ((b.x - a.x) >> 2) * ((c.y - a.y) >> 2) - ((b.y - a.y) >> 2) * ((c.x - a.x) >> 2);
  if (area == 0) return;
  if (area < 0) {
    Vertex t = b;
    b = c;
    c = t;
  }
  int minx = (MIN3(a.x, b.x, c.x) + 15) >> 4, maxx = (MAX3(a.x, b.x, c.x) + 15) >> 4;
  int miny = (MIN3(a.y, b.y, c.y) + 15) >> 4, maxy = (MAX3(a.y, b.y, c.y) + 15) >> 4;
  if (minx < 0) minx = 0;
  if (miny < 0) miny = 0;
  if (maxx > W) maxx = W;
  if (maxy > H) maxy = H;

  const int d01x = b.x - a.x, d01y = b.y - a.y, d12x = c.x - b.x, d12y = c.y - b.y, d20x = a.x - c.x, d20y = a.y - c.y;
  int w2row = d01x * ((miny << 4) - a.y) - d01y * ((minx << 4) - a.x);
  int w0row = d12x * ((miny << 4) - b.y) - d12y * ((minx << 4) - b.x);
  int w1row = d20x * ((miny << 4) - c.y) - d20y * ((minx << 4) - c.x);
  for (int y = miny; y < maxy; y++) {
    int w0 = w0row, w1 = w1row, w2 = w2row;
    uint32_t *px = f->color + y * W + minx;
    int *pz = f->depth + y * W + minx;
    for (int x = minx; x < maxx; x++, px++, pz++) {
      if ((w0 | w1 | w2) >= 0) {
        int z = (int)(((int64_t)w0 * a.z + (int64_t)w1 * b.z + (int64_t)w2 * c.z) / ((int64_t)w0 + w1 + w2 + 1));
        if (z < *pz) {
          *pz = z;
          *px = color;
          f->drawn++;
        }
      }
      w0 -= d12y * 16;
      w1 -= d20y * 16;
      w2 -= d01y * 16;
    }
    w0row += d12x * 16;
    w1row += d20x * 16;
    w2row += d01x * 16;
  }
}

int main(void) {
  enum { TRIS = 1500, FRAMES = 12 };
  unsigned hash = 0;
  bench_start();
  for (int frame = 0; frame < FRAMES; frame++) {
    memset(fb.color, 0x20, sizeof fb.color);
    for (int i = 0; i < W * H; i++) fb.depth[i] = INT32_MAX;
    for (int t = 0; t < TRIS; t++) {
      Vertex v[3];
      int cx = (int)(bench_random(1, t) * W * 16) + frame * 8, cy = (int)(bench_random(2, t) * H * 16);
      for (int k = 0; k < 3; k++) {
        v[k].x = cx + (int)((bench_random(3, 3 * t + k) - 0.5) * 1200);
        v[k].y = cy + (int)((bench_random(4, 3 * t + k) - 0.5) * 1200);
        v[k].z = 256 + (int)(bench_random(5, 3 * t + k) * 65536);
      }
      triangle(&fb, v[0], v[1], v[2], (uint32_t)(t * 2654435761u) | 0xff000000u);
    }
    for (int i = 0; i < W * H; i++) hash = hash * 16777619u ^ fb.color[i];
  }
  bench_stop();
  printf("check rasteriser %ld %u\n", fb.drawn, hash);
  return 0;
}
