/* A table of keys by open addressing, filled, asked and counted; strings hashed by their bytes. */
#include "bench.h"

#define SIZE 65536
#define N 30000

struct slot {
  uint32_t key;
  int count;
};

static struct slot table[SIZE];
static uint32_t keys[N];
static char words[N][12];

static uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

static void add(uint32_t key) {
  uint32_t at = mix(key) & (SIZE - 1);
  while (table[at].count && table[at].key != key) at = (at + 1) & (SIZE - 1);
  table[at].key = key;
  table[at].count++;
}

static int look_up(uint32_t key) {
  uint32_t at = mix(key) & (SIZE - 1);
  while (table[at].count) {
    if (table[at].key == key) return table[at].count;
    at = (at + 1) & (SIZE - 1);
  }
  return 0;
}

static uint32_t of_string(const char *s) {
  uint32_t h = 2166136261u;
  while (*s) {
    h ^= (unsigned char)*s++;
    h *= 16777619u;
  }
  return h;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    int length = 4 + (int)(bench_random(2, i) * 7);
    for (int k = 0; k < length; k++) words[i][k] = 'a' + (int)(bench_random(k + 3, i) * 26);
    keys[i] = (uint32_t)(bench_random(1, i) * 40000);
  }

  long total = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    for (int i = 0; i < SIZE; i++) {
      table[i].key = 0;
      table[i].count = 0;
    }
    for (int i = 0; i < N; i++) add(keys[i]);
    for (uint32_t i = 0; i < N; i++) total += look_up(i * 2 + r);
    for (int i = 0; i < N; i++) total += of_string(words[i]) & 255;
    keys[r] += 17;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < SIZE; i++) sum += table[i].key % 1000 * (1 + i % 7) + table[i].count;
  printf("check hashing %ld %ld\n", total, sum);
  return 0;
}
