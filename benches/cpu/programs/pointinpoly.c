/* Which of many points lie in which of some polygons: bounding boxes first, then the crossing number. */
#include "bench.h"

typedef struct { float x, y; } vec2;
typedef struct { vec2 lo, hi; } aabb;
typedef struct {
  int first, count;
  aabb box;
} poly;

#define POLYS 24
#define MAXV 40
#define POINTS 40000

static vec2 verts[POLYS * MAXV];
static poly polys[POLYS];
static vec2 pts[POINTS];
static uint32_t inside[POINTS];

static aabb bounds(const vec2 *v, int n) {
  aabb b = {v[0], v[0]};
  for (int i = 1; i < n; i++) {
    if (v[i].x < b.lo.x) b.lo.x = v[i].x;
    if (v[i].y < b.lo.y) b.lo.y = v[i].y;
    if (v[i].x > b.hi.x) b.hi.x = v[i].x;
    if (v[i].y > b.hi.y) b.hi.y = v[i].y;
  }
  return b;
}

static int contains(const vec2 *v, int n, vec2 p) {
  int c = 0;
  for (int i = 0, j = n - 1; i < n; j = i++)
    if ((v[i].y > p.y) != (v[j].y > p.y) && p.x < (v[j].x - v[i].x) * (p.y - v[i].y) / (v[j].y - v[i].y) + v[i].x) c = !c;
  return c;
}

int main(void) {
  int at = 0;
  for (int k = 0; k < POLYS; k++) {
    int n = 8 + k % 5 * 8;
    float cx = 100 * bench_random(1, k), cy = 100 * bench_random(2, k);
    polys[k].first = at;
    polys[k].count = n;
    for (int i = 0; i < n; i++) {
      float r = 8 + 14 * bench_random(3, k * 100 + i), a = 6.2831853f * i / n;
      verts[at++] = (vec2){cx + r * cosf(a), cy + r * sinf(a)};
    }
    polys[k].box = bounds(&verts[polys[k].first], n);
  }
  for (int i = 0; i < POINTS; i++) pts[i] = (vec2){100 * bench_random(5, i), 100 * bench_random(6, i)};

  long hits = 0, most = 0;
  unsigned long mix = 0;
  bench_start();
  for (int rep = 0; rep < 8; rep++) {
    for (int i = 0; i < POINTS; i++) {
      uint32_t m = 0;
      for (int k = 0; k < POLYS; k++) {
        const poly *q = &polys[k];
        if (pts[i].x < q->box.lo.x || pts[i].x > q->box.hi.x || pts[i].y < q->box.lo.y || pts[i].y > q->box.hi.y) continue;
        if (contains(verts + q->first, q->count, pts[i])) m |= 1u << k;
      }
      inside[i] = m;
    }
    for (int i = 0; i < POINTS; i++) {
      int n = __builtin_popcount(inside[i]);
      hits += n;
      if (n > most) most = n;
      mix = mix * 5 + inside[i];
      pts[i].x += 0.25f;
    }
  }
  bench_stop();
  printf("check pointinpoly %ld %ld %lu\n", hits, most, mix);
  return 0;
}
