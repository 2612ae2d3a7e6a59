/* Runs of equal bytes packed as a count and the byte, and unpacked. */
#include "bench.h"
#include <string.h>

#define N 200000

static unsigned char plain[N], packed[2 * N], again[N];

static size_t pack(const unsigned char *in, size_t n, unsigned char *out) {
  size_t o = 0;
  for (size_t i = 0; i < n;) {
    size_t run = 1;
    while (i + run < n && run < 255 && in[i + run] == in[i]) run++;
    out[o++] = (unsigned char)run;
    out[o++] = in[i];
    i += run;
  }
  return o;
}

static size_t unpack(const unsigned char *in, size_t n, unsigned char *out) {
  unsigned char *p = out;
  for (size_t i = 0; i < n; i += 2) {
    int run = in[i];
    unsigned char c = in[i + 1];
    while (run-- > 0) *p++ = c;
  }
  return p - out;
}

int main(void) {
  for (int i = 0, c = 0; i < N; i++) {
    if (bench_random(1, i) < 0.15) c = (int)(bench_random(2, i) * 256);
    plain[i] = (unsigned char)c;
  }

  long total = 0;
  bench_start();
  for (int r = 0; r < 100; r++) {
    size_t n = pack(plain, N, packed);
    size_t m = unpack(packed, n, again);
    total += n + m + again[r * 777 % N];
    plain[r * 991 % N] ^= 1;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++) sum += again[i] * (1 + i % 17);
  printf("check runs %ld %ld %d\n", total, sum, memcmp(plain, again, N) != 0);
  return 0;
}
