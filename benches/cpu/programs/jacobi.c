/* Laplace's equation by Jacobi's method until nothing changes much any more. */
#include "bench.h"

static int solve(float **grid, float **next, int rows, int columns, float tolerance, int limit) {
  int steps = 0;
  float change = 2 * tolerance;
  while (change > tolerance && steps < limit) {
    change = 0.0f;
    for (int i = 1; i < rows - 1; i++)
      for (int j = 1; j < columns - 1; j++) {
        next[i][j] = 0.25f * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
        float difference = fabsf(next[i][j] - grid[i][j]);
        if (difference > change) change = difference;
      }
    for (int i = 1; i < rows - 1; i++)
      for (int j = 1; j < columns - 1; j++) grid[i][j] = next[i][j];
    steps++;
  }
  return steps;
}

static float **matrix(int rows, int columns) {
  float **m = malloc(rows * sizeof *m);
  for (int i = 0; i < rows; i++) m[i] = calloc(columns, sizeof **m);
  return m;
}

int main(void) {
  int rows = 200, columns = 260;
  float **grid = matrix(rows, columns), **next = matrix(rows, columns);
  for (int j = 0; j < columns; j++) grid[0][j] = 100.0f * (float)bench_random(1, j);
  for (int i = 0; i < rows; i++) grid[i][0] = 50.0f;

  bench_start();
  int steps = solve(grid, next, rows, columns, 0.012f, 2000);
  bench_stop();

  double sum = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) sum += (double)grid[i][j] * (1 + (i + j) % 13);
  printf("check jacobi %d %.17g %.9g\n", steps, sum, grid[rows / 4][columns / 2]);
  for (int i = 0; i < rows; i++) free(grid[i]), free(next[i]);
  free(grid);
  free(next);
  return 0;
}
