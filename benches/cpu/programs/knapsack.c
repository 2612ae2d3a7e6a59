/* The best value that fits into a sack, each thing at most once, then as often as wanted; ways to give change. */
#include "bench.h"

#define CAPACITY 20000
#define ITEMS 300

static int best[CAPACITY + 1];
static long long ways[CAPACITY + 1];
static int weight[ITEMS], value[ITEMS];

static int once(void) {
  for (int w = 0; w <= CAPACITY; w++) best[w] = 0;
  for (int i = 0; i < ITEMS; i++)
    for (int w = CAPACITY; w >= weight[i]; w--)
      if (best[w - weight[i]] + value[i] > best[w]) best[w] = best[w - weight[i]] + value[i];
  return best[CAPACITY];
}

static int often(void) {
  for (int w = 0; w <= CAPACITY; w++) best[w] = 0;
  for (int i = 0; i < ITEMS; i++)
    for (int w = weight[i]; w <= CAPACITY; w++) {
      int with = best[w - weight[i]] + value[i];
      best[w] = with > best[w] ? with : best[w];
    }
  return best[CAPACITY];
}

static long long change(const int *coins, int n) {
  for (int w = 0; w <= CAPACITY; w++) ways[w] = 0;
  ways[0] = 1;
  for (int i = 0; i < n; i++)
    for (int w = coins[i]; w <= CAPACITY; w++) ways[w] = (ways[w] + ways[w - coins[i]]) % 1000000007;
  return ways[CAPACITY];
}

int main(void) {
  const int coins[] = {1, 2, 5, 10, 20, 50, 100, 200};
  for (int i = 0; i < ITEMS; i++) {
    weight[i] = 20 + (int)(bench_random(1, i) * 400);
    value[i] = 1 + (int)(bench_random(2, i) * 1000);
  }

  long total = 0;
  bench_start();
  for (int r = 0; r < 20; r++) {
    total += once();
    total += often();
    total += (long)change(coins, 8);
    value[r] += 100;
  }
  bench_stop();

  long sum = 0;
  for (int w = 0; w <= CAPACITY; w++) sum += best[w] * (1L + w % 13) + (long)ways[w];
  printf("check sack %ld %ld %d\n", total, sum, best[CAPACITY / 2]);
  return 0;
}
