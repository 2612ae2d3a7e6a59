/* Prefix sums, of integers and of floating-point numbers. */
#include "bench.h"

#define N 100000

static void prefix_int(const int *restrict in, long *restrict out, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    sum += in[i];
    out[i] = sum;
  }
}

static void prefix_double(double *x, int n) {
  for (int i = 1; i < n; i++) x[i] = x[i - 1] + x[i];
}

static int numbers[N];
static long sums[N];
static double x[N];

int main(void) {
  for (int i = 0; i < N; i++) numbers[i] = (int)(1000 * bench_random(1, i)) - 500;

  double total = 0;
  bench_start();
  for (int r = 0; r < 1200; r++) {
    numbers[r * 7] += r;
    prefix_int(numbers, sums, N);
    for (int i = 0; i < N; i++) x[i] = sums[i] * 0.001;
    prefix_double(x, N);
    total += x[N - 1];
  }
  bench_stop();

  printf("check sums %.17g %ld %.17g\n", total, sums[N / 2], x[N / 3]);
  return 0;
}
