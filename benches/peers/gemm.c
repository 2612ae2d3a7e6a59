/* C = alpha * A * B + beta * C, as examples/gemm.mlir. */
#include "common.h"

static void gemm(long M, long N, long K, REAL alpha, REAL beta, const REAL *restrict A,
                 const REAL *restrict B, REAL *restrict C) {
  for (long i = 0; i < M; i++) {
    for (long j = 0; j < N; j++)
      C[i * N + j] *= beta;
    for (long k = 0; k < K; k++) {
      REAL a = alpha * A[i * K + k];
      for (long j = 0; j < N; j++)
        C[i * N + j] += a * B[k * N + j];
    }
  }
}

int main(int argc, char **argv) {
  long M = size_arg(argc, argv, 1, 512);
  long N = size_arg(argc, argv, 2, 512);
  long K = size_arg(argc, argv, 3, 512);
  REAL *A = array(M * K);
  REAL *B = array(K * N);
  REAL *C = array(M * N);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(M * K), 1);
    fill_random(B, (size_t)(K * N), 2);
    fill_random(C, (size_t)(M * N), 3);
  }, gemm(M, N, K, (REAL)1.5, (REAL)1.2, A, B, C));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ldx%ld", M, N, K);
  double m_ = (double)M, n_ = (double)N, k_ = (double)K;
  report("gemm", sizes, seconds, count, 2 * m_ * n_ * k_ + 3 * m_ * n_, C, (size_t)(M * N));
  free(A);
  free(B);
  free(C);
  return 0;
}
