/* Values kept between two limits, and the sum and number of those above a threshold. */
#include "bench.h"

#define N 100000

static void clamp(float *x, int n, float low, float high) {
  for (int i = 0; i < n; i++) {
    if (x[i] < low) x[i] = low;
    if (x[i] > high) x[i] = high;
  }
}

static float sum_above(const float *x, int n, float t, int *count) {
  float s = 0;
  int many = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > t) {
      s += x[i];
      many++;
    }
  *count = many;
  return s;
}

static void perturb(float *restrict x, const float *restrict y, int n, float f) {
  for (int i = 0; i < n; i++) x[i] += f * y[i];
}

int main(void) {
  static float x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = (float)bench_random(1, i);
    y[i] = (float)bench_random(2, i) - 0.5f;
  }

  double total = 0;
  long many = 0;
  bench_start();
  for (int r = 0; r < 400; r++) {
    int count;
    perturb(x, y, N, r % 5 - 2.0f);
    clamp(x, N, 0.0f, 1.0f);
    total += sum_above(x, N, 0.6f, &count);
    many += count;
  }
  bench_stop();

  printf("check above %.17g %ld %.9g\n", total, many, x[N / 2]);
  return 0;
}
