/* Orders joined with customers by an open addressing hash table, then grouped by region. */
#include "bench.h"

struct customer { uint32_t id; uint8_t region, segment; };
struct order { uint32_t customer; int32_t cents; uint16_t day; };
struct slot { uint32_t key, row; };
struct total { int64_t cents; uint32_t count; int32_t biggest; };

#define CUSTOMERS 20000u
#define ORDERS 300000u
#define SLOTS 65536u
#define EMPTY UINT32_MAX

static struct customer customers[CUSTOMERS];
static struct order orders[ORDERS];
static struct slot slots[SLOTS];
static struct total totals[32][4];

static inline uint32_t hash32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

static void build(void) {
  for (uint32_t i = 0; i < SLOTS; i++) slots[i].key = EMPTY;
  for (uint32_t r = 0; r < CUSTOMERS; r++) {
    uint32_t h = hash32(customers[r].id) & (SLOTS - 1);
    while (slots[h].key != EMPTY) h = (h + 1) & (SLOTS - 1);
    slots[h] = (struct slot){customers[r].id, r};
  }
}

static const struct customer *probe(uint32_t id) {
  for (uint32_t h = hash32(id) & (SLOTS - 1);; h = (h + 1) & (SLOTS - 1)) {
    if (slots[h].key == id) return &customers[slots[h].row];
    if (slots[h].key == EMPTY) return NULL;
  }
}

int main(void) {
  for (uint32_t i = 0; i < CUSTOMERS; i++)
    customers[i] = (struct customer){i * 48271u + 11u, (uint8_t)(bench_random(1, i) * 32), (uint8_t)(i % 4)};
  for (uint32_t i = 0; i < ORDERS; i++)
    orders[i] = (struct order){(uint32_t)(bench_random(2, i) * (CUSTOMERS + 1500)) * 48271u + 11u,
                               (int32_t)(bench_random(3, i) * 100000), (uint16_t)(i % 365)};
  uint64_t orphans = 0;
  bench_start();
  for (int r = 0; r < 26; r++) {
    build();
    const uint16_t from = (uint16_t)(r * 9), to = (uint16_t)(from + 260);
    for (const struct order *o = orders, *end = orders + ORDERS; o != end; ++o) {
      if (o->day < from || o->day >= to) continue;
      const struct customer *c = probe(o->customer);
      if (!c) {
        orphans++;
        continue;
      }
      struct total *t = &totals[c->region][c->segment];
      t->cents += o->cents;
      t->count++;
      if (o->cents > t->biggest) t->biggest = o->cents;
    }
  }
  bench_stop();
  uint64_t mix = orphans;
  for (int a = 0; a < 32; a++)
    for (int b = 0; b < 4; b++)
      mix = mix * 1099511628211u + (uint64_t)totals[a][b].cents * 3 + totals[a][b].count * 5u + (uint32_t)totals[a][b].biggest;
  printf("check hashjoin %llu %llu\n", (unsigned long long)orphans, (unsigned long long)mix);
  return 0;
}
