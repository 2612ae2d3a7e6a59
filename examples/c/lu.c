/* LU factors of a dense matrix in place, without pivoting: right-looking, a column of L
   and then the rest of the matrix at a time; linearised subscripts.

   -DN=... sets the size; -DUSE_ACC, -DNO_PRAGMA as in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 200
#endif

static void lu(int n, double *a) {
  int i, j, k;
#if defined(USE_ACC)
#pragma acc data copy(a[0 : n * n])
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
  for (k = 0; k < n; k++) {
#ifdef USE_ACC
#pragma acc parallel loop independent
#endif
    for (i = k + 1; i < n; i++) a[i * n + k] = a[i * n + k] / a[k * n + k];
#ifdef USE_ACC
#pragma acc parallel loop independent collapse(2)
#endif
    for (i = k + 1; i < n; i++)
      for (j = k + 1; j < n; j++) a[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j];
  }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
}

int main(void) {
  long size = (long)N * N;
  double *a = numbers(size);
  for (long i = 0; i < size; i++) a[i] = uniform(1, i);
  for (long i = 0; i < N; i++) a[i * N + i] += N;
  start();
  lu(N, a);
  stop();
  check("a", a, size);
  free(a);
  return 0;
}
