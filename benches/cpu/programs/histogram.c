/* How often each byte occurs. */
#include "bench.h"

#define N 4000000

static void histogram(const unsigned char *data, int n, int counts[256]) {
  for (int i = 0; i < 256; i++) counts[i] = 0;
  for (int i = 0; i < n; i++) counts[data[i]]++;
}

int main(void) {
  unsigned char *data = malloc(N);
  int counts[256];
  unsigned state = 7;
  for (int i = 0; i < N; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (state >> 24) & (state >> 16) & 255;
  }

  long sum = 0;
  bench_start();
  for (int r = 0; r < 100; r++) {
    data[r * 1001] = r;
    histogram(data, N, counts);
    sum += counts[r];
  }
  bench_stop();

  for (int i = 0; i < 256; i++) sum += (long)counts[i] * i;
  printf("check counts %ld %d %d\n", sum, counts[0], counts[128]);
  free(data);
  return 0;
}
