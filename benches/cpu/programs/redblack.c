/* Poisson's equation by over-relaxation, the red points of the board first, then the black ones. */
#include "bench.h"

#define N 402

static double u[N][N], f[N][N];

static void relax(int colour, double omega) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2) {
      double wanted = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
      u[i][j] += omega * (wanted - u[i][j]);
    }
}

static void relax_if(int colour) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      if ((i + j) % 2 == colour) u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      u[i][j] = i == 0 || j == 0 ? 1.0 : 0.0;
      f[i][j] = 0.01 * (bench_random(1, i * N + j) - 0.5);
    }

  bench_start();
  for (int r = 0; r < 200; r++) {
    relax(0, 1.7);
    relax(1, 1.7);
    relax_if(0);
    relax_if(1);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += u[i][j] * (1 + (i + j) % 13);
  printf("check potential %.17g %.17g\n", sum, u[N / 2][N / 2]);
  return 0;
}
