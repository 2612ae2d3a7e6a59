/* Keys sorted by their bytes from the lowest up, with what belongs to each; small ones by counting. */
#include "bench.h"
#include <string.h>

#define N 60000

static uint32_t keys[N], other[N], fresh[N];
static int items[N], others[N];

static void sort_by_byte(const uint32_t *in, const int *in_items, uint32_t *out, int *out_items, int n, int shift) {
  size_t count[256] = {0};
  for (int i = 0; i < n; i++) count[(in[i] >> shift) & 255]++;
  size_t at = 0;
  for (int b = 0; b < 256; b++) {
    size_t c = count[b];
    count[b] = at;
    at += c;
  }
  for (int i = 0; i < n; i++) {
    size_t to = count[(in[i] >> shift) & 255]++;
    out[to] = in[i];
    out_items[to] = in_items[i];
  }
}

static void sort(int n) {
  sort_by_byte(keys, items, other, others, n, 0);
  sort_by_byte(other, others, keys, items, n, 8);
  sort_by_byte(keys, items, other, others, n, 16);
  sort_by_byte(other, others, keys, items, n, 24);
}

static int is_sorted(const uint32_t *a, int n) {
  for (int i = 1; i < n; i++)
    if (a[i - 1] > a[i]) return 0;
  return 1;
}

int main(void) {
  for (int i = 0; i < N; i++) fresh[i] = (uint32_t)(bench_random(1, i) * 4294967296.0);

  long total = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    for (int i = 0; i < N; i++) {
      keys[i] = fresh[i];
      items[i] = i;
    }
    sort(N);
    total += is_sorted(keys, N) + items[r * 17];
    fresh[r] ^= keys[r * 900];
  }
  bench_stop();

  unsigned long sum = 0;
  for (int i = 0; i < N; i++) sum += keys[i] % 1000 * (1 + i % 13) + items[i];
  printf("check radix %ld %lu\n", total, sum);
  return 0;
}
