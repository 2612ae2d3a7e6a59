/* Quicksort, Hoare's partition, insertion sort for what is short. */
#include "bench.h"

#define CUT 16

static void insertion(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int v = a[i], j = i - 1;
    while (j >= 0 && a[j] > v) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = v;
  }
}

static void quick(int *lo, int *hi) {
  while (hi - lo > CUT) {
    int pivot = lo[(hi - lo) / 2];
    int *i = lo - 1, *j = hi + 1;
    for (;;) {
      do i++; while (*i < pivot);
      do j--; while (*j > pivot);
      if (i >= j) break;
      int t = *i;
      *i = *j;
      *j = t;
    }
    if (j - lo < hi - j - 1) {
      quick(lo, j);
      lo = j + 1;
    } else {
      quick(j + 1, hi);
      hi = j;
    }
  }
  insertion(lo, (int)(hi - lo) + 1);
}

int main(void) {
  int n = 1500000;
  int *a = malloc(n * sizeof *a);
  if (!a) return 1;
  for (int i = 0; i < n; i++) a[i] = (int)(bench_random(5, i) * 2000000) - 1000000;

  bench_start();
  quick(a, a + n - 1);
  bench_stop();

  long bad = 0;
  unsigned long sum = 0;
  for (int i = 1; i < n; i++) bad += a[i] < a[i - 1];
  for (int i = 0; i < n; i++) sum = sum * 31 + (unsigned)a[i];
  printf("check quicksort %ld %lu %d %d\n", bad, sum, a[0], a[n / 2]);
  free(a);
  return 0;
}
