/* The replay of an exchange's messages into a price-level book, with a signal from its top levels. */
#include "bench.h"
#include <string.h>

#define LEVELS 2048
#define MESSAGES 200000
#define DEPTH 5

enum { ADD = 'A', CANCEL = 'X', EXECUTE = 'E' };

#pragma pack(push, 1)
struct wire { uint8_t type, side; uint16_t price_be; uint32_t size_be; };
#pragma pack(pop)

typedef struct {
  int32_t size[2][LEVELS];
  int best[2]; /* bid: highest with size, ask: lowest with size */
} book_t;

static uint8_t feed[MESSAGES * sizeof(struct wire)];
static book_t book;

static uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static uint32_t be32(const uint8_t *p) { return (uint32_t)be16(p) << 16 | be16(p + 2); }

static void reset(void) {
  memset(&book, 0, sizeof book);
  book.best[0] = -1;
  book.best[1] = LEVELS;
}

static int apply(const uint8_t *m) {
  int side = m[1] & 1, price = be16(m + 2) % LEVELS;
  int32_t size = (int32_t)be32(m + 4);
  switch (m[0]) {
  case ADD: /* post only: what would cross slides back */
    if (side == 0 && price >= book.best[1]) price = book.best[1] - 1;
    if (side == 1 && price <= book.best[0]) price = book.best[0] + 1;
    if (price < 0 || price >= LEVELS) return 0;
    book.size[side][price] += size;
    if (side == 0 ? price > book.best[0] : price < book.best[1]) book.best[side] = price;
    return 1;
  case EXECUTE:
    price = book.best[side];
    if (price < 0 || price >= LEVELS) return 0;
    /* fall through */
  case CANCEL:
    if (book.size[side][price] == 0) return 0;
    book.size[side][price] = book.size[side][price] > size ? book.size[side][price] - size : 0;
    if (book.size[side][price] == 0 && price == book.best[side]) {
      if (side == 0)
        while (book.best[0] >= 0 && !book.size[0][book.best[0]]) book.best[0]--;
      else
        while (book.best[1] < LEVELS && !book.size[1][book.best[1]]) book.best[1]++;
    }
    return 1;
  }
  return 0;
}

static long imbalance(void) {
  long bid = 0, ask = 0;
  for (int i = book.best[0], n = 0; i >= 0 && n < DEPTH; i--)
    if (book.size[0][i]) bid += book.size[0][i], n++;
  for (int i = book.best[1], n = 0; i < LEVELS && n < DEPTH; i++)
    if (book.size[1][i]) ask += book.size[1][i], n++;
  return bid + ask ? 1000 * (bid - ask) / (bid + ask) : 0;
}

int main(void) {
  for (int i = 0; i < MESSAGES; i++) {
    uint8_t *m = feed + i * sizeof(struct wire);
    double t = bench_random(1, i);
    int side = bench_random(2, i) < 0.5, off = (int)(bench_random(3, i) * bench_random(4, i) * 200);
    int price = LEVELS / 2 + (int)(100 * sin(i * 0.0005)) + (side ? off + 1 : -off);
    uint32_t size = 1 + (uint32_t)(bench_random(5, i) * 500);
    m[0] = t < 0.5 ? ADD : t < 0.75 ? CANCEL : EXECUTE;
    m[1] = (uint8_t)side;
    m[2] = (uint8_t)(price >> 8);
    m[3] = (uint8_t)price;
    m[4] = m[5] = 0;
    m[6] = (uint8_t)(size >> 8);
    m[7] = (uint8_t)size;
  }
  long applied = 0, signal = 0, crossed = 0;
  bench_start();
  for (int r = 0; r < 20; r++) {
    reset();
    const uint8_t *p = feed;
    for (int i = 0; i < MESSAGES; i++, p += sizeof(struct wire)) {
      applied += apply(p);
      if (i % 8 == r % 8) signal += imbalance() * (i & 3);
      crossed += book.best[0] >= book.best[1];
    }
  }
  bench_stop();
  printf("check orderbook %ld %ld %ld\n", applied, signal, crossed);
  return 0;
}
