/* A filter of seven taps over a signal. */
#include "bench.h"

#define N 200000
#define TAPS 7

static void filter(int n, const float *restrict in, const float *restrict taps, float *restrict out) {
  for (int i = 0; i < n - TAPS + 1; i++) {
    float sum = 0;
    for (int k = 0; k < TAPS; k++) sum += in[i + k] * taps[k];
    out[i] = sum;
  }
}

int main(void) {
  float taps[TAPS] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
  float *a = malloc(N * sizeof *a), *b = calloc(N, sizeof *b);
  for (int i = 0; i < N; i++) a[i] = (float)bench_random(1, i);

  bench_start();
  for (int r = 0; r < 200; r++) {
    filter(N, a, taps, b);
    filter(N, b, taps, a);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += (double)a[i] * (1 + i % 13);
  printf("check signal %.17g %.9g %.9g\n", sum, a[10], a[N / 2]);
  free(a);
  free(b);
  return 0;
}
