/* Products with triangular matrices, the lower triangle kept as a square and packed one row behind another. */
#include "bench.h"

#define N 360

static double l[N][N], b[N][N], c[N][N];

static void square(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k <= i; k++) sum += l[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

static void in_place(void) {
  for (int i = N - 1; i >= 0; i--)
    for (int j = 0; j < N; j++) {
      b[i][j] *= l[i][i];
      for (int k = 0; k < i; k++) b[i][j] += l[i][k] * b[k][j];
    }
}

static void packed(const float *t, const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k <= i; k++) sum += t[i * (i + 1) / 2 + k] * x[k];
    y[i] = sum;
  }
}

int main(void) {
  float *t = malloc(N * (N + 1) / 2 * sizeof *t);
  float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  int at = 0;
  for (int i = 0; i < N; i++) {
    x[i] = (float)bench_random(3, i);
    for (int j = 0; j < N; j++) {
      l[i][j] = j <= i ? bench_random(1, i * N + j) / N : 0;
      b[i][j] = bench_random(2, i * N + j);
      if (j <= i) t[at++] = (float)l[i][j];
    }
    l[i][i] += 1;
  }

  double sum = 0;
  bench_start();
  for (int r = 0; r < 3; r++) {
    square();
    in_place();
    for (int s = 0; s < 200; s++) {
      packed(t, x, y, N);
      sum += y[N - 1 - s];
      x[s] = y[s] * 0.5f + 0.1f;
    }
  }
  bench_stop();

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += b[i][j] * (1 + (i + j) % 13) + c[i][j];
  printf("check triangles %.17g %.17g %.9g\n", sum, c[N - 1][N / 2], y[N / 2]);
  free(t);
  free(x);
  free(y);
  return 0;
}
