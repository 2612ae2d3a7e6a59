/* T times two sweeps of the heat equation on a cube, as examples/heat-3d.mlir. */
#include "common.h"

static void sweep(long N, const REAL *restrict from, REAL *restrict to) {
  const REAL eighth = (REAL)0.125;
  for (long i = 1; i < N - 1; i++)
    for (long j = 1; j < N - 1; j++)
      for (long k = 1; k < N - 1; k++) {
        const REAL *p = from + (i * N + j) * N + k;
        REAL twice = 2 * p[0];
        to[(i * N + j) * N + k] = eighth * (p[N * N] - twice + p[-N * N]) +
                                  eighth * (p[N] - twice + p[-N]) +
                                  eighth * (p[1] - twice + p[-1]) + p[0];
      }
}

static void heat(long N, long T, REAL *A, REAL *B) {
  for (long t = 0; t < T; t++) {
    sweep(N, A, B);
    sweep(N, B, A);
  }
}

int main(int argc, char **argv) {
  long N = size_arg(argc, argv, 1, 120);
  long T = size_arg(argc, argv, 2, 10);
  REAL *A = array(N * N * N);
  REAL *B = array(N * N * N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(N * N * N), 1);
    fill_random(B, (size_t)(N * N * N), 2);
  }, heat(N, T, A, B));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ld", N, T);
  double n_ = (double)N, t_ = (double)T;
  report("heat-3d", sizes, seconds, count, 26 * t_ * (n_ - 2) * (n_ - 2) * (n_ - 2), A, (size_t)(N * N * N));
  free(A);
  free(B);
  return 0;
}
