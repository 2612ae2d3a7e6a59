/* How like itself a signal of 16 bits is some steps later, window by window, as speech coders do. */
#include "bench.h"

#define N 160000
#define WINDOW 320
#define LAGS 40

static int dot(const short *a, const short *b, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void correlate(const short *x, int n, int *result) {
  for (int lag = 0; lag < LAGS; lag++) result[lag] = dot(x, x + lag, n - lag);
}

int main(void) {
  short *x = malloc(N * sizeof(short));
  for (int i = 0; i < N; i++) x[i] = (short)(900 * sin(i * 0.3) + 900 * (bench_random(1, i) - 0.5));

  int result[LAGS];
  long long sum = 0;
  long pitch = 0;
  bench_start();
  for (int r = 0; r < 36; r++) {
    for (int start = 0; start + WINDOW <= N; start += WINDOW) {
      correlate(x + start, WINDOW, result);
      int best = 10;
      for (int lag = 11; lag < LAGS; lag++)
        if (result[lag] > result[best]) best = lag;
      pitch += best;
      sum += result[0] + result[best] / 3;
    }
    x[r * 100] = -x[r * 100];
  }
  bench_stop();

  printf("check lags %lld %ld %d\n", sum, pitch, result[LAGS - 1]);
  free(x);
  return 0;
}
