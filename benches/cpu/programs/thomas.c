/* Many systems of equations with three diagonals, one to a line of the grid, along rows and along columns. */
#include "bench.h"

#define N 256

static double c[N], grid[N][N], work[N][N];

/* The solution of a system whose diagonals are -k, 1 + 2k, -k takes the right side's place. */
static void solve(double *d, int n, double k) {
  double b = 1 + 2 * k;
  c[0] = -k / b;
  d[0] /= b;
  for (int i = 1; i < n; i++) {
    double m = 1.0 / (b + k * c[i - 1]);
    c[i] = -k * m;
    d[i] = (d[i] + k * d[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--) d[i] -= c[i] * d[i + 1];
}

static void solve_columns(double k) {
  double b = 1 + 2 * k;
  for (int j = 0; j < N; j++) {
    work[0][j] = -k / b;
    grid[0][j] /= b;
  }
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++) {
      double m = 1.0 / (b + k * work[i - 1][j]);
      work[i][j] = -k * m;
      grid[i][j] = (grid[i][j] + k * grid[i - 1][j]) * m;
    }
  for (int i = N - 2; i >= 0; i--)
    for (int j = 0; j < N; j++) grid[i][j] -= work[i][j] * grid[i + 1][j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) grid[i][j] = bench_random(1, i * N + j);

  bench_start();
  for (int r = 0; r < 160; r++) {
    for (int i = 0; i < N; i++) solve(grid[i], N, 0.3);
    solve_columns(0.2);
    for (int i = N / 4; i < N / 2; i++) grid[i][i] += 0.5;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += grid[i][j] * (1 + (i + j) % 13);
  printf("check lines %.17g %.17g\n", sum, grid[N / 3][N / 3]);
  return 0;
}
