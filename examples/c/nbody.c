/* N bodies that attract each other, each pair every step, in an array of structures.

   -DN=... sets the number of bodies, -DSTEPS=... that of steps; -DUSE_ACC, -DNO_PRAGMA as
   in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 512
#endif
#ifndef STEPS
#define STEPS 10
#endif
#define SOFTENING 1e-2
#define DT 1e-3

typedef struct {
  double x, y, z;
  double vx, vy, vz;
  double mass;
} Body;

static void simulate(Body *b, int n, int steps) {
#ifdef USE_ACC
#pragma acc data copy(b[0 : n])
#endif
  for (int t = 0; t < steps; t++) {
#if defined(USE_ACC)
#pragma acc parallel loop gang vector
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
    for (int i = 0; i < n; i++) {
      double fx = 0, fy = 0, fz = 0;
#ifdef USE_ACC
#pragma acc loop seq
#endif
      for (int j = 0; j < n; j++) {
        double dx = b[j].x - b[i].x;
        double dy = b[j].y - b[i].y;
        double dz = b[j].z - b[i].z;
        double d = dx * dx + dy * dy + dz * dz + SOFTENING;
        double f = b[j].mass / (d * sqrt(d));
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
      b[i].vx += DT * fx;
      b[i].vy += DT * fy;
      b[i].vz += DT * fz;
    }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif

#if defined(USE_ACC)
#pragma acc parallel loop gang vector
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
    for (int i = 0; i < n; i++) {
      b[i].x += DT * b[i].vx;
      b[i].y += DT * b[i].vy;
      b[i].z += DT * b[i].vz;
    }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
  }
}

static double energy(const Body *b, int n) {
  double e = 0;
  for (int i = 0; i < n; i++) {
    e += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
    for (int j = i + 1; j < n; j++) {
      double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
      e -= b[i].mass * b[j].mass / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
    }
  }
  return e;
}

int main(void) {
  Body *b = malloc(N * sizeof *b);
  double *position = numbers(3 * N);
  if (!b) return 2;
  for (int i = 0; i < N; i++) {
    b[i].x = uniform(1, i) - 0.5;
    b[i].y = uniform(2, i) - 0.5;
    b[i].z = uniform(3, i) - 0.5;
    b[i].vx = b[i].vy = b[i].vz = 0;
    b[i].mass = (1 + uniform(4, i)) / N;
  }
  start();
  simulate(b, N, STEPS);
  stop();
  for (int i = 0; i < N; i++) {
    position[3 * i] = b[i].x;
    position[3 * i + 1] = b[i].y;
    position[3 * i + 2] = b[i].z;
  }
  double e = energy(b, N);
  check("energy", &e, 1);
  check("position", position, 3 * N);
  free(position);
  free(b);
  return 0;
}
