/* A[r, q, p] = sum over s of A[r, q, s] * C4[s, p], as examples/doitgen.mlir. */
#include "common.h"

static void doitgen(long R, long Q, long P, REAL *restrict A, const REAL *restrict C4,
                    REAL *restrict sum) {
  for (long rq = 0; rq < R * Q; rq++) {
    for (long p = 0; p < P; p++)
      sum[p] = 0;
    for (long s = 0; s < P; s++) {
      REAL a = A[rq * P + s];
      for (long p = 0; p < P; p++)
        sum[p] += a * C4[s * P + p];
    }
    for (long p = 0; p < P; p++)
      A[rq * P + p] = sum[p];
  }
}

int main(int argc, char **argv) {
  long R = size_arg(argc, argv, 1, 100);
  long Q = size_arg(argc, argv, 2, 80);
  long P = size_arg(argc, argv, 3, 120);
  REAL *A = array(R * Q * P);
  REAL *C4 = array(P * P);
  REAL *sum = array(P);
  double seconds[MAX_REPEAT];
  int count = repeats();
  MEASURE(seconds, count, {
    fill_random(A, (size_t)(R * Q * P), 1);
    fill_random(C4, (size_t)(P * P), 2);
  }, doitgen(R, Q, P, A, C4, sum));
  char sizes[128];
  snprintf(sizes, sizeof sizes, "%ldx%ldx%ld", R, Q, P);
  double r_ = (double)R, q_ = (double)Q, p_ = (double)P;
  report("doitgen", sizes, seconds, count, 2 * r_ * q_ * p_ * p_, A, (size_t)(R * Q * P));
  free(A);
  free(C4);
  free(sum);
  return 0;
}
