/* Covariance of the M columns of a table of N rows, as examples/covariance.mlir. */
#include "common.h"

static void covariance(long N, long M, REAL *restrict data, REAL *restrict cov,
                       REAL *restrict mean) {
  for (long j = 0; j < M; j++)
    mean[j] = 0;
  for (long k = 0; k < N; k++)
    for (long j = 0; j < M; j++)
      mean[j] += data[k * M + j];
  for (long j = 0; j < M; j++)
    mean[j] /= (REAL)N;
  for (long k = 0; k < N; k++)
    for (long j = 0; j < M; j++)
      data[k * M + j] -= mean[j];
  for (long i = 0; i < M; i++) {
    for (long j = i; j < M; j++)
      cov[i * M + j] = 0;
    for (long k = 0; k < N; k++) {
      REAL d = data[k * M + i];
      for (long j = i; j < M; j++)
        cov[i * M + j] += d * data[k * M + j];
    }
    for (long j = i; j < M; j++) {
      cov[i * M + j] /= (REAL)N - 1;
      cov[j * M + i] = cov[i * M + j];
    }
  }
}

int main(int argc, char **argv) {
  long N = size_arg(argc, argv, 1, 600);
  long M = size_arg(argc, argv, 2, 500);
  REAL *data = array(N * M);
  REAL *cov = array(M * M);
  REAL *mean = array(M);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(data, (size_t)(N * M), 1);
    fill_zeros(cov, (size_t)(M * M));
  }, covariance(N, M, data, cov, mean));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ld", N, M);
  double n_ = (double)N, m_ = (double)M;
  report("covariance", sizes, seconds, count, 2 * n_ * m_ + m_ + m_ * (m_ + 1) / 2 * (2 * n_ + 1), cov, (size_t)(M * M));
  free(data);
  free(cov);
  free(mean);
  return 0;
}
