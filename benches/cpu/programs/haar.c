/* Haar's wavelet in two dimensions, lifted, on ints; small details dropped; and back. */
#include "bench.h"

#define SIZE 512

static int image[SIZE][SIZE], line[SIZE];

static void split(int *x, int n, int stride) {
  int half = n / 2;
  for (int i = 0; i < half; i++) {
    int a = x[2 * i * stride], b = x[(2 * i + 1) * stride];
    int d = a - b;
    line[half + i] = d;
    line[i] = b + (d >> 1);
  }
  for (int i = 0; i < n; i++) x[i * stride] = line[i];
}

static void merge(int *x, int n, int stride) {
  int half = n / 2;
  for (int i = 0; i < half; i++) {
    int s = x[i * stride], d = x[(half + i) * stride];
    int b = s - (d >> 1);
    line[2 * i] = d + b;
    line[2 * i + 1] = b;
  }
  for (int i = 0; i < n; i++) x[i * stride] = line[i];
}

int main(void) {
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++) image[y][x] = (x * y / 64 + (int)(bench_random(1, y * SIZE + x) * 16)) & 255;

  long dropped = 0;
  bench_start();
  for (int r = 0; r < 30; r++) {
    for (int n = SIZE; n > 1; n /= 2) {
      for (int y = 0; y < n; y++) split(image[y], n, 1);
      for (int x = 0; x < n; x++) split(&image[0][x], n, SIZE);
    }
    for (int y = 0; y < SIZE; y++)
      for (int x = 0; x < SIZE; x++)
        if (image[y][x] && abs(image[y][x]) <= r) {
          image[y][x] = 0;
          dropped++;
        }
    for (int n = 2; n <= SIZE; n *= 2) {
      for (int x = 0; x < n; x++) merge(&image[0][x], n, SIZE);
      for (int y = 0; y < n; y++) merge(image[y], n, 1);
    }
  }
  bench_stop();

  unsigned long hash = 0;
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++) hash = hash * 37 + image[y][x];
  printf("check haar %ld %lu\n", dropped, hash);
  return 0;
}
