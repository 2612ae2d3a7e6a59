/* The wave equation in two dimensions, with planes for three times whose pointers go round. */
#include "bench.h"

#define N 400

static double planes[3][N][N];

static void step(double (*before)[N], double (*now)[N], double (*after)[N], double c) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      after[i][j] = 2 * now[i][j] - before[i][j] +
                    c * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
}

int main(void) {
  double(*before)[N] = planes[0], (*now)[N] = planes[1], (*after)[N] = planes[2];
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      double x = (i - N / 3) / 40.0, y = (j - N / 2) / 40.0;
      now[i][j] = before[i][j] = exp(-x * x - y * y);
    }

  bench_start();
  for (int t = 0; t < 1500; t++) {
    step(before, now, after, 0.2);
    double(*last)[N] = before;
    before = now;
    now = after;
    after = last;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += now[i][j] * (1 + (i + j) % 13);
  printf("check wave %.17g %.17g %.17g\n", sum, now[1][1], now[N / 2][N / 3]);
  return 0;
}
