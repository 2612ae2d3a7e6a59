/* Filters with memory: the exponential moving average of several channels and a chain of biquads. */
#include "bench.h"

#define N 48000
#define CHANNELS 8

struct biquad {
  float b0, b1, b2, a1, a2;
  float z1, z2;
};

static void ema(const double *x, double *y, int n, double alpha) {
  y[0] = x[0];
  for (int i = 1; i < n; i++) y[i] = alpha * x[i] + (1 - alpha) * y[i - 1];
}

static void ema_channels(const float *x, float *state, float *y, int n, float alpha) {
  for (int i = 0; i < n; i++)
    for (int c = 0; c < CHANNELS; c++) {
      state[c] += alpha * (x[i * CHANNELS + c] - state[c]);
      y[i * CHANNELS + c] = state[c];
    }
}

static void filter(struct biquad *f, const float *in, float *out, int n) {
  for (int i = 0; i < n; i++) {
    float x = in[i];
    float y = f->b0 * x + f->z1;
    f->z1 = f->b1 * x - f->a1 * y + f->z2;
    f->z2 = f->b2 * x - f->a2 * y;
    out[i] = y;
  }
}

int main(void) {
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  float *in = malloc(N * CHANNELS * sizeof *in), *out = malloc(N * CHANNELS * sizeof *out);
  float state[CHANNELS] = {0};
  struct biquad chain[3] = {{0.2f, 0.4f, 0.2f, -0.37f, 0.2f, 0, 0},
                            {0.6f, -1.1f, 0.6f, -1.1f, 0.5f, 0, 0},
                            {0.9f, 0.1f, -0.3f, 0.2f, -0.1f, 0, 0}};
  for (int i = 0; i < N; i++) x[i] = bench_random(1, i) - 0.5;
  for (int i = 0; i < N * CHANNELS; i++) in[i] = (float)bench_random(2, i) - 0.5f;

  double sum = 0;
  bench_start();
  for (int r = 0; r < 80; r++) {
    ema(x, y, N, 0.1 + 0.005 * r);
    ema_channels(in, state, out, N, 0.2f);
    filter(&chain[0], in, out, N);
    for (int k = 1; k < 3; k++) filter(&chain[k], out, out, N);
    sum += y[N - 1] + out[N - 1] + out[N + r];
  }
  bench_stop();

  for (int i = 0; i < N; i++) sum += y[i] * (1 + i % 13) + out[i];
  printf("check filters %.17g %.9g %.9g\n", sum, state[3], chain[2].z1);
  free(x);
  free(y);
  free(in);
  free(out);
  return 0;
}
