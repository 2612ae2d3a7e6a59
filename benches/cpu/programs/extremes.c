/* The least and the greatest of numbers, and where the greatest is. */
#include "bench.h"

#define N 40000

static float max_float(const float *x, size_t n) {
  float best = x[0];
  for (size_t i = 1; i < n; i++)
    if (x[i] > best) best = x[i];
  return best;
}

static float min_float(const float *x, size_t n) {
  float best = x[0];
  for (size_t i = 1; i < n; i++) best = x[i] < best ? x[i] : best;
  return best;
}

static size_t argmax_float(const float *x, size_t n) {
  size_t where = 0;
  for (size_t i = 1; i < n; i++)
    if (x[i] > x[where]) where = i;
  return where;
}

static void range_int(const int *x, int n, int *low, int *high) {
  *low = *high = x[0];
  for (int i = 1; i < n; i++) {
    if (x[i] < *low) *low = x[i];
    if (x[i] > *high) *high = x[i];
  }
}

static int argmin_int(const int *x, int n) {
  int best = x[0], where = 0;
  for (int i = 1; i < n; i++) {
    if (x[i] < best) {
      best = x[i];
      where = i;
    }
  }
  return where;
}

static float f[N];
static int k[N];

int main(void) {
  for (int i = 0; i < N; i++) {
    f[i] = (float)(bench_random(1, i) * 200 - 100);
    k[i] = (int)(bench_random(2, i) * 2000000) - 1000000;
  }

  double total = 0;
  long places = 0;
  bench_start();
  for (int r = 0; r < 600; r++) {
    size_t top = argmax_float(f, N);
    int bottom = argmin_int(k, N), low, high;
    range_int(k, N, &low, &high);
    total += max_float(f, N) - min_float(f, N) + low + 2.0 * high;
    places += (long)top + 3 * bottom;
    f[top] -= 1.5f;
    k[bottom] += r % 50;
  }
  bench_stop();

  printf("check extremes %.17g %ld\n", total, places);
  return 0;
}
