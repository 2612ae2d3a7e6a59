/* Particles in a box: each moves along its velocity and comes back from the walls. */
#include "bench.h"

#define N 20000

static void update(float *x, float *y, float *vx, float *vy, int n, float dt) {
  for (int i = 0; i < n; i++) {
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
    if (x[i] < 0.0f) {
      x[i] = -x[i];
      vx[i] = -vx[i];
    } else if (x[i] > 1.0f) {
      x[i] = 2.0f - x[i];
      vx[i] = -vx[i];
    }
    if (y[i] < 0.0f) {
      y[i] = -y[i];
      vy[i] = -vy[i];
    } else if (y[i] > 1.0f) {
      y[i] = 2.0f - y[i];
      vy[i] = -vy[i];
    }
  }
}

int main(void) {
  static float x[N], y[N], vx[N], vy[N];
  for (int i = 0; i < N; i++) {
    x[i] = (float)bench_random(1, i);
    y[i] = (float)bench_random(2, i);
    vx[i] = (float)bench_random(3, i) - 0.5f;
    vy[i] = (float)bench_random(4, i) - 0.5f;
  }

  bench_start();
  for (int t = 0; t < 4000; t++) update(x, y, vx, vy, N, 0.02f);
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += (double)x[i] * 3 + (double)y[i] * 5 + vx[i] + vy[i];
  printf("check particles %.17g %.9g %.9g\n", sum, x[0], y[N / 2]);
  return 0;
}
