/* T times two sweeps of a five-point mean, as examples/jacobi-2d.mlir. */
#include "common.h"

static void sweep(long N, const REAL *restrict from, REAL *restrict to) {
  for (long i = 1; i < N - 1; i++)
    for (long j = 1; j < N - 1; j++)
      to[i * N + j] = (REAL)0.2 * (from[i * N + j] + from[i * N + j - 1] + from[i * N + j + 1] +
                                   from[(i + 1) * N + j] + from[(i - 1) * N + j]);
}

static void jacobi(long N, long T, REAL *A, REAL *B) {
  for (long t = 0; t < T; t++) {
    sweep(N, A, B);
    sweep(N, B, A);
  }
}

int main(int argc, char **argv) {
  long N = size_arg(argc, argv, 1, 1000);
  long T = size_arg(argc, argv, 2, 20);
  REAL *A = array(N * N);
  REAL *B = array(N * N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(N * N), 1);
    fill_random(B, (size_t)(N * N), 2);
  }, jacobi(N, T, A, B));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ld", N, T);
  double n_ = (double)N, t_ = (double)T;
  report("jacobi-2d", sizes, seconds, count, 10 * t_ * (n_ - 2) * (n_ - 2), A, (size_t)(N * N));
  free(A);
  free(B);
  return 0;
}
