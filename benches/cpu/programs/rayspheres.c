/* Rays from an eye against spheres, the nearest hit and a shadow ray. */
#include "bench.h"

#define SPHERES 40
#define W 320
#define H 200

typedef struct {
  float x, y, z;
} v3;

typedef struct {
  v3 c;
  float r2;
  int shade;
} sphere;

static sphere scene[SPHERES];

static inline float dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }

static int nearest(v3 o, v3 d, float *t) {
  int hit = -1;
  *t = 1e30f;
  for (int i = 0; i < SPHERES; i++) {
    v3 l = sub(scene[i].c, o);
    float b = dot(l, d), disc = b * b - dot(l, l) + scene[i].r2;
    if (disc < 0) continue;
    float s = b - sqrtf(disc);
    if (s > 0.001f && s < *t) {
      *t = s;
      hit = i;
    }
  }
  return hit;
}

static int shadowed(v3 p, v3 light) {
  float t;
  return nearest(p, light, &t) >= 0;
}

int main(void) {
  static int picture[H][W];
  for (int i = 0; i < SPHERES; i++) {
    float r = 0.3f + 0.7f * (float)bench_random(4, i);
    scene[i] = (sphere){{8 * bench_random(1, i) - 4, 5 * bench_random(2, i) - 2.5, 6 + 8 * bench_random(3, i)}, r * r, i + 1};
  }
  v3 eye = {0, 0, 0}, light = {0.48f, 0.6f, -0.64f};
  long lit = 0, dark = 0;

  bench_start();
  for (int frame = 0; frame < 13; frame++) {
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        v3 d = {(x - W / 2) / 200.0f, (y - H / 2) / 200.0f, 1};
        float inv = 1 / sqrtf(dot(d, d)), t;
        d = (v3){d.x * inv, d.y * inv, d.z * inv};
        int s = nearest(eye, d, &t);
        if (s < 0) {
          picture[y][x] = 0;
          continue;
        }
        v3 p = {d.x * t, d.y * t, d.z * t};
        if (shadowed(p, light)) {
          dark++;
          picture[y][x] = -scene[s].shade;
        } else {
          lit++;
          picture[y][x] = scene[s].shade;
        }
      }
    eye.x += 0.125f;
  }
  bench_stop();

  long sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += abs(picture[y][x]);
  /* Points at the rims depend on rounding. */
  printf("check rayspheres %ld %ld %ld\n", (lit + 500) / 1000, (dark + 500) / 1000, (sum + 5000) / 10000);
  return 0;
}
