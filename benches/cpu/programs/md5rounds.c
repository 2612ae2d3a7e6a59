/* MD5 of many short messages, each padded to one block. */
#include "bench.h"

static uint32_t k[64];
static const int shift[64] = {7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22,
                              5, 9, 14, 20, 5, 9, 14, 20, 5, 9, 14, 20, 5, 9, 14, 20,
                              4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23,
                              6, 10, 15, 21, 6, 10, 15, 21, 6, 10, 15, 21, 6, 10, 15, 21};

static void md5(const uint32_t *block, uint32_t *digest) {
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int g;
    if (i < 16) {
      f = (b & c) | (~b & d);
      g = i;
    } else if (i < 32) {
      f = (d & b) | (~d & c);
      g = (5 * i + 1) & 15;
    } else if (i < 48) {
      f = b ^ c ^ d;
      g = (3 * i + 5) & 15;
    } else {
      f = c ^ (b | ~d);
      g = 7 * i & 15;
    }
    f += a + k[i] + block[g];
    a = d;
    d = c;
    c = b;
    b += f << shift[i] | f >> (32 - shift[i]);
  }
  digest[0] = 0x67452301 + a;
  digest[1] = 0xefcdab89 + b;
  digest[2] = 0x98badcfe + c;
  digest[3] = 0x10325476 + d;
}

int main(void) {
  for (int i = 0; i < 64; i++) k[i] = (uint32_t)floor(4294967296.0 * fabs(sin(i + 1)));
  size_t count = 100000;
  uint32_t *messages = calloc(count, 64), *digests = malloc(count * 16);
  for (size_t m = 0; m < count; m++) {
    uint32_t *b = messages + 16 * m;
    b[0] = (uint32_t)m;
    b[1] = (uint32_t)(m * 2654435761u);
    b[2] = 0x80;
    b[14] = 64;
  }

  bench_start();
  for (int r = 0; r < 10; r++)
    for (size_t m = 0; m < count; m++) {
      md5(messages + 16 * m, digests + 4 * m);
      messages[16 * m] ^= digests[4 * m + 1];
    }
  bench_stop();

  uint32_t all[4] = {0};
  for (size_t m = 0; m < count; m++)
    for (int i = 0; i < 4; i++) all[i] ^= digests[4 * m + i];
  printf("check md5rounds %08x%08x%08x%08x\n", all[0], all[1], all[2], all[3]);
  free(messages);
  free(digests);
  return 0;
}
