/* Lattice Boltzmann, D2Q9, flow in a channel with a round obstacle. */
#include "bench.h"

#define NX 200
#define NY 80
#define Q 9

static double f[Q][NX][NY], g[Q][NX][NY];
static int wall[NX][NY];

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[Q] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

static void collide(double omega) {
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++) {
      if (wall[x][y]) continue;
      double rho = 0, u = 0, v = 0;
      for (int q = 0; q < Q; q++) {
        rho += f[q][x][y];
        u += cx[q] * f[q][x][y];
        v += cy[q] * f[q][x][y];
      }
      u = u / rho + 1e-5;
      v /= rho;
      double uu = 1.5 * (u * u + v * v);
      for (int q = 0; q < Q; q++) {
        double c = 3 * (cx[q] * u + cy[q] * v);
        double eq = weight[q] * rho * (1 + c + 0.5 * c * c - uu);
        f[q][x][y] += omega * (eq - f[q][x][y]);
      }
    }
}

static void stream(void) {
  for (int q = 0; q < Q; q++)
    for (int x = 0; x < NX; x++) {
      int to = (x + cx[q] + NX) % NX;
      for (int y = 0; y < NY; y++) g[q][to][(y + cy[q] + NY) % NY] = f[q][x][y];
    }
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int q = 0; q < Q; q++) f[wall[x][y] ? opposite[q] : q][x][y] = g[q][x][y];
}

int main(void) {
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++) {
      int dx = x - 50, dy = y - 42;
      wall[x][y] = y == 0 || y == NY - 1 || dx * dx + dy * dy < 100;
      for (int q = 0; q < Q; q++) f[q][x][y] = weight[q];
    }

  bench_start();
  for (int t = 0; t < 140; t++) {
    collide(1.2);
    stream();
  }
  bench_stop();

  double mass = 0, flow = 0;
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++) {
      if (wall[x][y]) continue;
      for (int q = 0; q < Q; q++) {
        mass += f[q][x][y];
        flow += cx[q] * f[q][x][y];
      }
    }
  printf("check boltzmann %.10g %.7g\n", mass, flow);
  return 0;
}
