/* The inverse of a matrix by Gauss-Jordan with row exchanges, in place. */
#include "bench.h"

#define A(i, j) a[(size_t)(i) * n + (j)]
#define B(i, j) b[(size_t)(i) * n + (j)]

static int invert(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B(i, j) = i == j;

  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A(i, k)) > fabs(A(p, k))) p = i;
    if (A(p, k) == 0) return -1;
    if (p != k) {
      for (int j = 0; j < n; j++) {
        double t = A(k, j);
        A(k, j) = A(p, j);
        A(p, j) = t;
        t = B(k, j);
        B(k, j) = B(p, j);
        B(p, j) = t;
      }
    }
    double d = 1 / A(k, k);
    for (int j = 0; j < n; j++) {
      A(k, j) *= d;
      B(k, j) *= d;
    }
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double f = A(i, k);
      for (int j = 0; j < n; j++) {
        A(i, j) -= f * A(k, j);
        B(i, j) -= f * B(k, j);
      }
    }
  }
  return 0;
}

int main(void) {
  int n = 560;
  double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n * n; i++) a[i] = bench_random(1, i) - 0.5;
  for (int i = 0; i < n; i++) A(i, (i * 7 + 3) % n) += 12;

  bench_start();
  int rc = invert(a, b, n);
  bench_stop();

  double trace = 0, norm = 0;
  for (int i = 0; i < n; i++) trace += B(i, i);
  for (int i = 0; i < n * n; i++) norm += b[i] * b[i];
  printf("check gaussjordan %d %.10g %.10g\n", rc, trace, norm);
  free(a);
  free(b);
  return 0;
}
