/* Smooth vertex normals of an indexed mesh, then relaxing of its vertices along them. */
#include "bench.h"

typedef struct vec3 { float x, y, z; } vec3;
typedef struct vertex { vec3 pos, normal; float u, v; } vertex;

static inline vec3 sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

#define GRID 200

static void compute_normals(vertex *v, int nv, const unsigned *idx, int ntri) {
  for (int i = 0; i < nv; i++) v[i].normal = (vec3){0, 0, 0};
  for (int t = 0; t < ntri; t++) {
    const unsigned i0 = idx[3 * t], i1 = idx[3 * t + 1], i2 = idx[3 * t + 2];
    vec3 n = cross(sub(v[i1].pos, v[i0].pos), sub(v[i2].pos, v[i0].pos));
    vec3 *dst[3] = {&v[i0].normal, &v[i1].normal, &v[i2].normal};
    for (int k = 0; k < 3; k++) {
      dst[k]->x += n.x;
      dst[k]->y += n.y;
      dst[k]->z += n.z;
    }
  }
  for (int i = 0; i < nv; i++) {
    float len = sqrtf(dot(v[i].normal, v[i].normal));
    if (len > 1e-12f) {
      float s = 1.0f / len;
      v[i].normal.x *= s;
      v[i].normal.y *= s;
      v[i].normal.z *= s;
    }
  }
}

int main(void) {
  int nv = GRID * GRID, ntri = 2 * (GRID - 1) * (GRID - 1);
  vertex *v = malloc(nv * sizeof *v);
  unsigned *idx = malloc(3 * ntri * sizeof *idx), *p = idx;
  for (int j = 0; j < GRID; j++)
    for (int i = 0; i < GRID; i++) {
      vertex *q = v + j * GRID + i;
      q->u = (float)i / GRID;
      q->v = (float)j / GRID;
      q->pos = (vec3){q->u, 0.1f * sinf(9 * q->u) * cosf(7 * q->v) + 0.004f * (float)bench_random(1, j * GRID + i), q->v};
    }
  for (unsigned j = 0; j + 1 < GRID; j++)
    for (unsigned i = 0; i + 1 < GRID; i++) {
      unsigned a = j * GRID + i, b = a + 1, c = a + GRID, d = c + 1;
      *p++ = a, *p++ = c, *p++ = b;
      *p++ = b, *p++ = c, *p++ = d;
    }

  double up = 0;
  bench_start();
  for (int r = 0; r < 90; r++) {
    compute_normals(v, nv, idx, ntri);
    for (int i = 0; i < nv; i++) {
      v[i].pos.y -= 0.0005f * v[i].normal.y * (v[i].pos.y > 0 ? 1 : -1);
      v[i].u += 0.001f * v[i].normal.x;
    }
    up += v[r * 31].normal.y;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < nv; i++) sum += v[i].normal.x * 3 + v[i].normal.y + v[i].normal.z * 2 + v[i].pos.y + v[i].u;
  printf("check meshnormals %.6g %.6g\n", sum, up);
  free(v);
  free(idx);
  return 0;
}
