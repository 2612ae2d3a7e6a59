/* A heap in an array: numbers sorted by it, and the smallest of a stream kept by it. */
#include "bench.h"

#define N 30000
#define KEEP 64

static double a[N], fresh[N];

static void down(double *h, int i, int n) {
  double v = h[i];
  for (;;) {
    int child = 2 * i + 1;
    if (child >= n) break;
    if (child + 1 < n && h[child + 1] > h[child]) child++;
    if (h[child] <= v) break;
    h[i] = h[child];
    i = child;
  }
  h[i] = v;
}

static void heap_sort(double *h, int n) {
  for (int i = n / 2 - 1; i >= 0; i--) down(h, i, n);
  for (int last = n - 1; last > 0; last--) {
    double t = h[0];
    h[0] = h[last];
    h[last] = t;
    down(h, 0, last);
  }
}

static double smallest(const double *stream, int n, double *heap) {
  int have = 0;
  for (int i = 0; i < n; i++) {
    if (have < KEEP) {
      int at = have++;
      while (at > 0 && heap[(at - 1) / 2] < stream[i]) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
      }
      heap[at] = stream[i];
    } else if (stream[i] < heap[0]) {
      heap[0] = stream[i];
      down(heap, 0, KEEP);
    }
  }
  double sum = 0;
  for (int i = 0; i < have; i++) sum += heap[i];
  return sum;
}

int main(void) {
  for (int i = 0; i < N; i++) fresh[i] = bench_random(1, i);

  double total = 0, heap[KEEP];
  bench_start();
  for (int r = 0; r < 20; r++) {
    for (int i = 0; i < N; i++) a[i] = fresh[i];
    total += smallest(a, N, heap);
    heap_sort(a, N);
    total += a[r * 100];
    fresh[r * 3] = a[N / 2 + r];
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * (1 + i % 7);
  printf("check heaps %.17g %.17g\n", total, sum);
  return 0;
}
