/* A = L * U in place without pivoting, as examples/lu.mlir. N on the diagonal
 * makes the input dominant. */
#include "common.h"

static void dominant(REAL *A, long N) {
  fill_random(A, (size_t)(N * N), 1);
  for (long i = 0; i < N; i++)
    A[i * N + i] += (REAL)N;
}

static void lu(long N, REAL *A) {
  for (long k = 0; k < N; k++) {
    for (long i = k + 1; i < N; i++)
      A[i * N + k] /= A[k * N + k];
    for (long i = k + 1; i < N; i++)
      for (long j = k + 1; j < N; j++)
        A[i * N + j] -= A[i * N + k] * A[k * N + j];
  }
}

int main(int argc, char **argv) {
  long N = size_arg(argc, argv, 1, 400);
  REAL *A = array(N * N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    dominant(A, N);
  }, lu(N, A));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ld", N);
  double n_ = (double)N;
  report("lu", sizes, seconds, count, n_ * (n_ - 1) / 2 + n_ * (n_ - 1) * (2 * n_ - 1) / 3, A, (size_t)(N * N));
  free(A);
  return 0;
}
