/* Bytes as hexadecimal digits, and back, with a check that the digits are ones. */
#include "bench.h"

#define N 100000

static unsigned char data[N], back[N];
static char text[2 * N + 1];

static void encode(const unsigned char *in, int n, char *out) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < n; i++) {
    out[2 * i] = digits[in[i] >> 4];
    out[2 * i + 1] = digits[in[i] & 15];
  }
  out[2 * n] = 0;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int decode(const char *in, unsigned char *out) {
  int n = 0;
  while (in[0] && in[1]) {
    int hi = digit(in[0]), lo = digit(in[1]);
    if (hi < 0 || lo < 0) return -1;
    out[n++] = (unsigned char)(hi << 4 | lo);
    in += 2;
  }
  return n;
}

int main(void) {
  for (int i = 0; i < N; i++) data[i] = (unsigned char)(bench_random(1, i) * 256);

  long total = 0;
  bench_start();
  for (int r = 0; r < 150; r++) {
    encode(data, N, text);
    total += decode(text, back);
    total += back[r * 631 % N];
    data[r * 500] += 3;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++) sum += back[i] * (1 + i % 11) + text[i];
  printf("check hex %ld %ld\n", total, sum);
  return 0;
}
