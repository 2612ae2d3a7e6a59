/* Pairs of samples turned by a small angle in each step: oscillators without sines. */
#include "bench.h"

#define N 30000

static float re[N], im[N];

static void turn(float c, float s) {
  for (int i = 0; i < N; i++) {
    float t = re[i] * c - im[i] * s;
    im[i] = re[i] * s + im[i] * c;
    re[i] = t;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    re[i] = bench_random(1, i);
    im[i] = bench_random(2, i);
  }
  bench_start();
  for (int r = 0; r < 8000; r++) turn(0.99f, 0.14106735979665885f);
  bench_stop();
  double sum = 0;
  for (int i = 0; i < N; i++) sum += (re[i] + im[i]) * (1 + i % 7);
  printf("check oscillators %.9g %.9g\n", sum, re[N / 2]);
  return 0;
}
