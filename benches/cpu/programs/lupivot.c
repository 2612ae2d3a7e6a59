/* Gauss's elimination with the largest element of each column as the pivot, rows swapped in memory. */
#include "bench.h"

static int factor(float *a, int *pivots, size_t n) {
  int swaps = 0;
  for (size_t k = 0; k < n; k++) {
    size_t p = k;
    float largest = fabsf(a[k * n + k]);
    for (size_t i = k + 1; i < n; i++) {
      float candidate = fabsf(a[i * n + k]);
      if (candidate > largest) {
        largest = candidate;
        p = i;
      }
    }
    if (largest == 0.0f) return -1;
    pivots[k] = (int)p;
    if (p != k) {
      for (size_t j = 0; j < n; j++) {
        float t = a[k * n + j];
        a[k * n + j] = a[p * n + j];
        a[p * n + j] = t;
      }
      swaps++;
    }
    for (size_t i = k + 1; i < n; i++) {
      float factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return swaps;
}

int main(void) {
  size_t n = 420;
  float *a = malloc(n * n * sizeof *a);
  int *pivots = malloc(n * sizeof *pivots);
  long swaps = 0, where = 0;
  bench_start();
  for (int r = 0; r < 8; r++) {
    for (size_t i = 0; i < n * n; i++) a[i] = (float)(bench_random(r + 1, i) - 0.5);
    swaps += factor(a, pivots, n);
    for (size_t k = 0; k < n; k++) where += pivots[k] * (long)(1 + k % 7);
  }
  bench_stop();

  double sum = 0;
  for (size_t i = 0; i < n * n; i++) sum += (double)a[i] * (1 + i % 13);
  printf("check pivoted %ld %ld %.17g %.9g\n", swaps, where, sum, a[n * n - 1]);
  free(a);
  free(pivots);
  return 0;
}
