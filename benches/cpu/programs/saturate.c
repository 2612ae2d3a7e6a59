/* Bytes and samples of 16 bits added so that they stop at the largest and smallest value. */
#include "bench.h"

#define N 200000

typedef unsigned char byte;

static void add_bytes(byte *out, const byte *a, const byte *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int v = a[i] + b[i];
    if (v > 255) v = 255;
    out[i] = v;
  }
}

static void sub_bytes(byte *out, const byte *a, const byte *b, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = a[i] > b[i] ? a[i] - b[i] : 0;
}

static short clip(int v) {
  if (v > 32767) return 32767;
  if (v < -32768) return -32768;
  return v;
}

static void mix(short *track, const short *other, int gain, int n) {
  for (int i = 0; i < n; i++) track[i] = clip(track[i] + other[i] * gain / 64);
}

int main(void) {
  byte *a = malloc(N), *b = malloc(N), *c = malloc(N);
  short *track = malloc(N * sizeof *track), *other = malloc(N * sizeof *other);
  for (int i = 0; i < N; i++) {
    a[i] = bench_random(1, i) * 256;
    b[i] = bench_random(2, i) * 90;
    track[i] = bench_random(3, i) * 40000 - 20000;
    other[i] = bench_random(4, i) * 60000 - 30000;
  }

  bench_start();
  for (int r = 0; r < 300; r++) {
    add_bytes(c, a, b, N);
    sub_bytes(b, c, a, N);
    add_bytes(a, a, b, N);
    sub_bytes(a, a, c, N);
    mix(track, other, r % 40 - 20, N);
  }
  bench_stop();

  long bytes = 0, samples = 0;
  for (int i = 0; i < N; i++) {
    bytes += (a[i] + 3 * b[i] + 5 * c[i]) * (1 + i % 7);
    samples += track[i] * (1 + i % 11);
  }
  printf("check saturated %ld %ld %d %d\n", bytes, samples, c[5], track[N / 2]);
  free(a);
  free(b);
  free(c);
  free(track);
  free(other);
  return 0;
}
