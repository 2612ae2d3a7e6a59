/* A cloud of points turned by interpolated quaternions; its bounding box after each turn. */
#include "bench.h"

typedef struct {
  double w, x, y, z;
} quat;

typedef double point[3];

static quat slerp(quat a, quat b, double t) {
  double d = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  double th = acos(d), s = sin(th), u = sin((1 - t) * th) / s, v = sin(t * th) / s;
  return (quat){u * a.w + v * b.w, u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z};
}

static void turn(quat q, const point *in, point *out, long n) {
  double m[3][3] = {
      {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
      {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
      {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
  for (long i = 0; i < n; i++)
    for (int r = 0; r < 3; r++) out[i][r] = m[r][0] * in[i][0] + m[r][1] * in[i][1] + m[r][2] * in[i][2];
}

static void box(const point *p, long n, point lo, point hi) {
  for (int d = 0; d < 3; d++) lo[d] = hi[d] = p[0][d];
  for (long i = 1; i < n; i++)
    for (int d = 0; d < 3; d++) {
      if (p[i][d] < lo[d]) lo[d] = p[i][d];
      if (p[i][d] > hi[d]) hi[d] = p[i][d];
    }
}

int main(void) {
  long n = 100000;
  point *a = malloc(n * sizeof(point)), *b = malloc(n * sizeof(point));
  for (long i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) a[i][d] = (bench_random(d + 1, i) - 0.5) * (d + 1);

  quat from = {1, 0, 0, 0}, to = {0.5, 0.5, -0.5, 0.5};
  double volume = 0, least = 1e9;
  bench_start();
  for (int t = 1; t < 160; t++) {
    point lo, hi;
    turn(slerp(from, to, t / 160.0), a, b, n);
    box(b, n, lo, hi);
    double v = (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
    volume += v;
    if (v < least) least = v;
  }
  bench_stop();
  printf("check quaternions %.10g %.10g\n", volume, least);
  free(a);
  free(b);
  return 0;
}
