/* ChaCha20 over a buffer, and a check against the block function's published first words. */
#include "bench.h"
#include <string.h>

typedef struct {
  uint32_t state[16];
  uint8_t pad[64];
  unsigned used;
} chacha_ctx;

#define ROTL(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                     \
  do {                                                          \
    a += b; d ^= a; d = ROTL(d, 16);                            \
    c += d; b ^= c; b = ROTL(b, 12);                            \
    a += b; d ^= a; d = ROTL(d, 8);                             \
    c += d; b ^= c; b = ROTL(b, 7);                             \
  } while (0)

static uint32_t load_le32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_le32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
}

static void chacha_init(chacha_ctx *c, const uint8_t key[32], const uint8_t nonce[12], uint32_t counter) {
  static const char sigma[] = "expand 32-byte k";
  for (int i = 0; i < 4; i++) c->state[i] = load_le32((const uint8_t *)sigma + 4 * i);
  for (int i = 0; i < 8; i++) c->state[4 + i] = load_le32(key + 4 * i);
  c->state[12] = counter;
  for (int i = 0; i < 3; i++) c->state[13 + i] = load_le32(nonce + 4 * i);
  c->used = 64;
}

static void chacha_block(chacha_ctx *c) {
  uint32_t x[16];
  memcpy(x, c->state, sizeof x);
  for (int i = 0; i < 10; i++) {
    QUARTER(x[0], x[4], x[8], x[12]);
    QUARTER(x[1], x[5], x[9], x[13]);
    QUARTER(x[2], x[6], x[10], x[14]);
    QUARTER(x[3], x[7], x[11], x[15]);
    QUARTER(x[0], x[5], x[10], x[15]);
    QUARTER(x[1], x[6], x[11], x[12]);
    QUARTER(x[2], x[7], x[8], x[13]);
    QUARTER(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; i++) store_le32(c->pad + 4 * i, x[i] + c->state[i]);
  c->state[12]++;
  c->used = 0;
}

static void chacha_xor(chacha_ctx *c, uint8_t *data, size_t len) {
  while (len) {
    if (c->used == 64) chacha_block(c);
    size_t n = 64 - c->used;
    if (n > len) n = len;
    for (size_t i = 0; i < n; i++) data[i] ^= c->pad[c->used + i];
    c->used += (unsigned)n;
    data += n;
    len -= n;
  }
}

int main(void) {
  enum { LEN = 1 << 20 };
  static uint8_t buf[LEN];
  uint8_t key[32], nonce[12] = {0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0};
  for (int i = 0; i < 32; i++) key[i] = (uint8_t)i;
  chacha_ctx c;
  chacha_init(&c, key, nonce, 1);
  chacha_block(&c);
  int good = load_le32(c.pad) == 0xe4e7f110u && load_le32(c.pad + 60) == 0x4e3c50a2u;

  uint32_t sum = 0;
  bench_start();
  for (int r = 0; r < 24; r++) {
    nonce[11] = (uint8_t)r;
    chacha_init(&c, key, nonce, 0);
    for (size_t at = 0, n = 1; at < LEN; at += n, n = n * 3 % 4093 + 1) chacha_xor(&c, buf + at, n < LEN - at ? n : LEN - at);
    for (size_t i = 0; i < LEN; i += 64) sum = sum * 5 + load_le32(buf + i);
  }
  bench_stop();
  printf("check chacha %d %u\n", good, sum);
  return 0;
}
