/* The median of three neighbours along a signal and down an image's columns. */
#include "bench.h"

#define N 100000
#define W 512
#define H 512
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static void along(const float *in, float *out, long n) {
  out[0] = in[0];
  for (long i = 1; i < n - 1; i++) {
    float a = in[i - 1], b = in[i], c = in[i + 1];
    out[i] = MAX(MIN(a, b), MIN(MAX(a, b), c));
  }
  out[n - 1] = in[n - 1];
}

static void down(unsigned short in[H][W], unsigned short out[H][W]) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 0; x < W; x++) {
      unsigned short low = MIN(in[y - 1][x], in[y][x]);
      unsigned short high = MAX(in[y - 1][x], in[y][x]);
      unsigned short below = in[y + 1][x];
      out[y][x] = below < low ? low : below > high ? high : below;
    }
}

static unsigned short image[H][W], smooth[H][W];

int main(void) {
  float *signal = malloc(N * sizeof(float)), *result = malloc(N * sizeof(float));
  for (long i = 0; i < N; i++) signal[i] = (float)(sin(i * 0.001) + bench_random(1, i));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) smooth[y][x] = image[y][x] = bench_random(2, y * W + x) * 65536;

  bench_start();
  for (int r = 0; r < 400; r++) {
    along(signal, result, N);
    along(result, signal, N);
    down(image, smooth);
    signal[1 + (r * 997) % (N - 2)] += 1;
    image[r * 7 % H][r * 5 % W] ^= 0x5555;
  }
  bench_stop();

  double sum = 0;
  for (long i = 0; i < N; i++) sum += signal[i] * (1 + i % 7);
  long grey = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) grey += smooth[y][x] * (1 + (x ^ y) % 5);
  printf("check median %.17g %ld\n", sum, grey);
  free(signal);
  free(result);
  return 0;
}
