/* Forces between all pairs of bodies, a structure of arrays, and a step along them. */
#include "bench.h"

#define N 2000

static float px[N], py[N], pz[N], vx[N], vy[N], vz[N], mass[N];

static void forces(float dt) {
  for (int i = 0; i < N; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < N; j++) {
      float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
      float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float inverse = 1.0f / sqrtf(d2);
      float f = mass[j] * inverse * inverse * inverse;
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
    vx[i] += dt * ax;
    vy[i] += dt * ay;
    vz[i] += dt * az;
  }
}

static void move(float dt) {
  for (int i = 0; i < N; i++) {
    px[i] += dt * vx[i];
    py[i] += dt * vy[i];
    pz[i] += dt * vz[i];
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    px[i] = (float)bench_random(1, i);
    py[i] = (float)bench_random(2, i);
    pz[i] = (float)bench_random(3, i);
    mass[i] = 0.001f + 0.001f * (float)bench_random(4, i);
  }

  bench_start();
  for (int t = 0; t < 10; t++) {
    forces(0.01f);
    move(0.01f);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += (double)px[i] * 3 + (double)py[i] * 5 + (double)pz[i] * 7 + vx[i];
  printf("check bodies %.17g %.9g %.9g\n", sum, px[0], vz[N / 2]);
  return 0;
}
