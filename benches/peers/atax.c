/* y = transpose(A) * (A * x), as examples/atax.mlir. */
#include "common.h"

static void atax(long M, long N, const REAL *restrict A, const REAL *restrict x,
                 REAL *restrict y) {
  for (long j = 0; j < N; j++)
    y[j] = 0;
  for (long i = 0; i < M; i++) {
    REAL dot = 0;
    for (long j = 0; j < N; j++)
      dot += A[i * N + j] * x[j];
    for (long j = 0; j < N; j++)
      y[j] += A[i * N + j] * dot;
  }
}

int main(int argc, char **argv) {
  long M = size_arg(argc, argv, 1, 1800);
  long N = size_arg(argc, argv, 2, 2000);
  REAL *A = array(M * N);
  REAL *x = array(N);
  REAL *y = array(N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(M * N), 1);
    fill_random(x, (size_t)(N), 2);
    fill_zeros(y, (size_t)(N));
  }, atax(M, N, A, x, y));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ld", M, N);
  double m_ = (double)M, n_ = (double)N;
  report("atax", sizes, seconds, count, 4 * m_ * n_, y, (size_t)(N));
  free(A);
  free(x);
  free(y);
  return 0;
}
