/* The checksums of gzip and zlib and Fletcher's, over the same bytes. */
#include "bench.h"

#define N 4000000

static uint32_t table[256];

static void make_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}

static uint32_t crc32(uint32_t crc, const unsigned char *p, size_t n) {
  crc = ~crc;
  while (n--) crc = table[(crc ^ *p++) & 0xff] ^ (crc >> 8);
  return ~crc;
}

static uint32_t adler32(const unsigned char *data, size_t n) {
  uint32_t a = 1, b = 0;
  while (n > 0) {
    size_t part = n > 5552 ? 5552 : n;
    n -= part;
    for (size_t i = 0; i < part; i++) {
      a += data[i];
      b += a;
    }
    data += part;
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

static unsigned fletcher16(const unsigned char *data, size_t n) {
  unsigned one = 0, two = 0;
  for (size_t i = 0; i < n; i++) {
    one = (one + data[i]) % 255;
    two = (two + one) % 255;
  }
  return two << 8 | one;
}

int main(void) {
  unsigned char *data = malloc(N);
  for (size_t i = 0; i < N; i++) data[i] = (unsigned char)(bench_random(1, i) * 256);
  make_table();

  uint32_t crc = 0, adler = 0;
  unsigned fletcher = 0;
  bench_start();
  for (int r = 0; r < 8; r++) {
    crc = crc32(crc, data, N);
    adler ^= adler32(data, N);
    data[r] = crc & 255;
  }
  fletcher = fletcher16(data, N);
  bench_stop();

  printf("check sums %08x %08x %04x\n", (unsigned)crc, (unsigned)adler, fletcher);
  free(data);
  return 0;
}
