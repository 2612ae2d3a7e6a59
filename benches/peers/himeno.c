/* T steps of the Himeno benchmark's sweep, without its residual, as
 * examples/himeno.mlir. */
#include "common.h"

static void himeno(long I, long J, long K, long T, REAL omega, REAL *restrict p,
                   const REAL *restrict a, const REAL *restrict b, const REAL *restrict c,
                   const REAL *restrict bnd, const REAL *restrict wrk1, REAL *restrict wrk2) {
  const long x = J * K, y = K, all = I * J * K;
  for (long t = 0; t < T; t++) {
    for (long i = 1; i < I - 1; i++)
      for (long j = 1; j < J - 1; j++)
        for (long k = 1; k < K - 1; k++) {
          const long h = i * x + j * y + k;
          REAL s = a[h] * p[h + x] + a[all + h] * p[h + y] + a[2 * all + h] * p[h + 1] +
                   b[h] * (p[h + x + y] - p[h + x - y] - p[h - x + y] + p[h - x - y]) +
                   b[all + h] * (p[h + y + 1] - p[h + y - 1] - p[h - y + 1] + p[h - y - 1]) +
                   b[2 * all + h] * (p[h + x + 1] - p[h - x + 1] - p[h + x - 1] + p[h - x - 1]) +
                   c[h] * p[h - x] + c[all + h] * p[h - y] + c[2 * all + h] * p[h - 1] + wrk1[h];
          wrk2[h] = p[h] + omega * ((s * a[3 * all + h] - p[h]) * bnd[h]);
        }
    for (long i = 1; i < I - 1; i++)
      for (long j = 1; j < J - 1; j++)
        for (long k = 1; k < K - 1; k++)
          p[i * x + j * y + k] = wrk2[i * x + j * y + k];
  }
}

int main(int argc, char **argv) {
  long I = size_arg(argc, argv, 1, 65);
  long J = size_arg(argc, argv, 2, 65);
  long K = size_arg(argc, argv, 3, 129);
  long T = size_arg(argc, argv, 4, 4);
  REAL *p = array(I * J * K);
  REAL *a = array(4 * I * J * K);
  REAL *b = array(3 * I * J * K);
  REAL *c = array(3 * I * J * K);
  REAL *bnd = array(I * J * K);
  REAL *wrk1 = array(I * J * K);
  REAL *wrk2 = array(I * J * K);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(p, (size_t)(I * J * K), 1);
    fill_random(a, (size_t)(4 * I * J * K), 2);
    fill_random(b, (size_t)(3 * I * J * K), 3);
    fill_random(c, (size_t)(3 * I * J * K), 4);
    fill_random(bnd, (size_t)(I * J * K), 5);
    fill_random(wrk1, (size_t)(I * J * K), 6);
    fill_zeros(wrk2, (size_t)(I * J * K));
  }, himeno(I, J, K, T, (REAL)0.8, p, a, b, c, bnd, wrk1, wrk2));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ldx%ldx%ld", I, J, K, T);
  double i_ = (double)I, j_ = (double)J, k_ = (double)K, t_ = (double)T;
  report("himeno", sizes, seconds, count, 32 * t_ * (i_ - 2) * (j_ - 2) * (k_ - 2), p, (size_t)(I * J * K));
  free(p);
  free(a);
  free(b);
  free(c);
  free(bnd);
  free(wrk1);
  free(wrk2);
  return 0;
}
