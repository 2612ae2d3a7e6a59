/* C = A * B, square, rows one after the other in plain pointers.

   -DN=... sets the size; -DUSE_ACC, -DNO_PRAGMA as in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 256
#endif

static void matmul(int n, const double *restrict a, const double *restrict b,
                   double *restrict c) {
#if defined(USE_ACC)
#pragma acc parallel loop collapse(2) copyin(a[0 : n * n], b[0 : n * n]) copyout(c[0 : n * n])
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
}

int main(void) {
  long size = (long)N * N;
  double *a = numbers(size), *b = numbers(size), *c = numbers(size);
  for (long i = 0; i < size; i++) {
    a[i] = uniform(1, i);
    b[i] = uniform(2, i);
  }
  start();
  matmul(N, a, b, c);
  stop();
  check("c", c, size);
  free(a);
  free(b);
  free(c);
  return 0;
}
