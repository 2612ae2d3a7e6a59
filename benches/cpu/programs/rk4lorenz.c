/* Runge and Kutta's fourth order for many systems of Lorenz with different parameters. */
#include "bench.h"

typedef struct {
  double x, y, z;
} vec;

typedef struct {
  vec p;
  double sigma, rho, beta;
} orbit;

static vec field(const orbit *o, vec p) {
  vec d;
  d.x = o->sigma * (p.y - p.x);
  d.y = p.x * (o->rho - p.z) - p.y;
  d.z = p.x * p.y - o->beta * p.z;
  return d;
}

static vec axpy(vec p, double h, vec d) { return (vec){p.x + h * d.x, p.y + h * d.y, p.z + h * d.z}; }

static void step(orbit *o, double h) {
  vec a = field(o, o->p);
  vec b = field(o, axpy(o->p, h / 2, a));
  vec c = field(o, axpy(o->p, h / 2, b));
  vec d = field(o, axpy(o->p, h, c));
  o->p.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
  o->p.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
  o->p.z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
}

int main(void) {
  int n = 4000;
  orbit *o = malloc(n * sizeof *o);
  for (int i = 0; i < n; i++)
    o[i] = (orbit){{1 + bench_random(1, i), 1, 1}, 10, 5 + 8 * bench_random(2, i), 8.0 / 3};

  bench_start();
  for (int i = 0; i < n; i++)
    for (int t = 0; t < 1500; t++) step(o + i, 0.005);
  bench_stop();

  /* Below rho = 13 all come to rest. */
  double x = 0, z = 0;
  for (int i = 0; i < n; i++) {
    x += fabs(o[i].p.x);
    z += o[i].p.z;
  }
  printf("check rk4lorenz %.8g %.8g\n", x, z);
  free(o);
  return 0;
}
