/* A filter of many taps, the signal zero outside, and a smoothing that repeats the values at the ends. */
#include "bench.h"

#define N 40000

static void fir(const float *x, long n, const float *h, long taps, float *y) {
  for (long i = 0; i < n; i++) {
    float acc = 0.0f;
    for (long k = 0; k < taps; k++)
      if (i - k >= 0) acc += h[k] * x[i - k];
    y[i] = acc;
  }
}

static void smooth(const int *in, int *out, int n, int radius) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int d = -radius; d <= radius; d++) {
      int at = i + d;
      if (at < 0) at = 0;
      if (at >= n) at = n - 1;
      sum += in[at];
    }
    out[i] = sum / (2 * radius + 1);
  }
}

static void three(const double *in, double *out, int n) {
  for (int i = 0; i < n; i++) {
    double left = i > 0 ? in[i - 1] : in[i];
    double right = i < n - 1 ? in[i + 1] : in[i];
    out[i] = 0.25 * left + 0.5 * in[i] + 0.25 * right;
  }
}

int main(void) {
  long taps = 48;
  float *x = malloc(N * sizeof(float)), *y = malloc(N * sizeof(float)), *h = malloc(taps * sizeof(float));
  int *a = malloc(N * sizeof(int)), *b = malloc(N * sizeof(int));
  double *p = malloc(N * sizeof(double)), *q = malloc(N * sizeof(double));
  for (int i = 0; i < N; i++) {
    x[i] = (float)bench_random(1, i) - 0.5f;
    a[i] = (int)(bench_random(2, i) * 100000);
    p[i] = bench_random(3, i);
  }
  for (long k = 0; k < taps; k++) h[k] = (float)bench_random(4, k) / 24;

  bench_start();
  for (int r = 0; r < 30; r++) {
    fir(x, N, h, taps, y);
    fir(y, N, h, taps, x);
    smooth(a, b, N, 4);
    smooth(b, a, N, 2);
    for (int s = 0; s < 10; s++) {
      three(p, q, N);
      three(q, p, N);
    }
  }
  bench_stop();

  double sum = 0;
  long whole = 0;
  for (int i = 0; i < N; i++) {
    sum += x[i] * (1 + i % 13) + p[i] * (1 + i % 7);
    whole += a[i] * (long)(1 + i % 5);
  }
  printf("check signals %.17g %ld %.9g\n", sum, whole, x[N / 2]);
  free(x), free(y), free(h), free(a), free(b), free(p), free(q);
  return 0;
}
