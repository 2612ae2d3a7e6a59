/* y = alpha * A * x + beta * B * x, as examples/gesummv.mlir. */
#include "common.h"

static void gesummv(long N, REAL alpha, REAL beta, const REAL *restrict A,
                    const REAL *restrict B, const REAL *restrict x, REAL *restrict y) {
  for (long i = 0; i < N; i++) {
    REAL p = 0, q = 0;
    for (long j = 0; j < N; j++) {
      p += A[i * N + j] * x[j];
      q += B[i * N + j] * x[j];
    }
    y[i] = alpha * p + beta * q;
  }
}

int main(int argc, char **argv) {
  long N = size_arg(argc, argv, 1, 2000);
  REAL *A = array(N * N);
  REAL *B = array(N * N);
  REAL *x = array(N);
  REAL *y = array(N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(N * N), 1);
    fill_random(B, (size_t)(N * N), 2);
    fill_random(x, (size_t)(N), 3);
    fill_zeros(y, (size_t)(N));
  }, gesummv(N, (REAL)1.5, (REAL)1.2, A, B, x, y));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ld", N);
  double n_ = (double)N;
  report("gesummv", sizes, seconds, count, 4 * n_ * n_ + 3 * n_, y, (size_t)(N));
  free(A);
  free(B);
  free(x);
  free(y);
  return 0;
}
