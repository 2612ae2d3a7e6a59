/* Shallow water on a square with walls: two steps of Lax and Friedrichs' kind. */
#include "bench.h"

static void step(int n, double h[n][n], double u[n][n], double v[n][n], double hn[n][n],
                 double un[n][n], double vn[n][n], double c) {
  const double g = 9.81;
  for (int i = 1; i < n - 1; i++) {
    for (int j = 1; j < n - 1; j++) {
      double hl = h[i][j - 1], hr = h[i][j + 1], hu = h[i - 1][j], hd = h[i + 1][j];
      hn[i][j] = 0.25 * (hl + hr + hu + hd) -
                 0.5 * c * (hr * u[i][j + 1] - hl * u[i][j - 1] + hd * v[i + 1][j] - hu * v[i - 1][j]);
      un[i][j] = 0.25 * (u[i][j - 1] + u[i][j + 1] + u[i - 1][j] + u[i + 1][j]) -
                 0.5 * c * g * (hr - hl);
      vn[i][j] = 0.25 * (v[i][j - 1] + v[i][j + 1] + v[i - 1][j] + v[i + 1][j]) -
                 0.5 * c * g * (hd - hu);
    }
  }
}

static void walls(int n, double h[n][n], double u[n][n], double v[n][n]) {
  for (int i = 0; i < n; i++) {
    h[i][0] = h[i][1];
    h[i][n - 1] = h[i][n - 2];
    u[i][0] = -u[i][1];
    u[i][n - 1] = -u[i][n - 2];
    v[i][0] = v[i][1];
    v[i][n - 1] = v[i][n - 2];
  }
  for (int j = 0; j < n; j++) {
    h[0][j] = h[1][j];
    h[n - 1][j] = h[n - 2][j];
    u[0][j] = u[1][j];
    u[n - 1][j] = u[n - 2][j];
    v[0][j] = -v[1][j];
    v[n - 1][j] = -v[n - 2][j];
  }
}

int main(void) {
  int n = 258;
  double(*f[6])[n];
  for (int k = 0; k < 6; k++) f[k] = calloc(n, sizeof *f[k]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = (j - 100) / 20.0, y = (i - 140) / 25.0;
      f[0][i][j] = 1 + 0.3 * exp(-x * x - y * y);
    }

  bench_start();
  for (int t = 0; t < 300; t++) {
    step(n, f[0], f[1], f[2], f[3], f[4], f[5], 0.1);
    walls(n, f[3], f[4], f[5]);
    step(n, f[3], f[4], f[5], f[0], f[1], f[2], 0.1);
    walls(n, f[0], f[1], f[2]);
  }
  bench_stop();

  double mass = 0, energy = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      mass += f[0][i][j];
      energy += f[1][i][j] * f[1][i][j] + f[2][i][j] * f[2][i][j];
    }
  printf("check shallow %.10g %.8g %.10g\n", mass, energy, f[0][n / 2][n / 3]);
  for (int k = 0; k < 6; k++) free(f[k]);
  return 0;
}
