/* The dot product of integers of 32 bits, summed up in 64. */
#include "bench.h"

#define N 20000

static int64_t dot(const int32_t *restrict x, const int32_t *restrict y, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += (int64_t)x[i] * y[i];
  return sum;
}

static int32_t x[N], y[N];

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = (int32_t)(2000000 * bench_random(1, i)) - 1000000;
    y[i] = (int32_t)(2000000 * bench_random(2, i)) - 1000000;
  }

  int64_t sum = 0;
  bench_start();
  for (int r = 0; r < 15000; r++) {
    int64_t s = dot(x, y, N);
    sum += s >> 20;
    x[r] = (int32_t)(s & 65535);
  }
  bench_stop();

  printf("check dot %lld %d\n", (long long)sum, x[N / 2]);
  return 0;
}
