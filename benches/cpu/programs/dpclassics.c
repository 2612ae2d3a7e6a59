/* Homework 4: coin change, longest increasing subsequence, optimal search tree, partition. */
#include "bench.h"

#define AMOUNT 20000
#define COINS 12
#define SEQ 2500
#define KEYS 260
#define ITEMS 60

int coins[COINS] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 7, 13, 77};
unsigned ways[AMOUNT + 1];
int fewest[AMOUNT + 1];
int seq[SEQ], len[SEQ], from[SEQ];
int freq[KEYS + 1];
long cost[KEYS + 2][KEYS + 2], sum[KEYS + 2][KEYS + 2];
int root[KEYS + 2][KEYS + 2];
int weight[ITEMS];
char reach[60 * 400 + 1];

int main() {
  int i, j, k, r, l, best, total, half, rep, lis = 0;
  long check = 0;
  for (i = 0; i < SEQ; i++) seq[i] = bench_random(1, i) * 10000 + i;
  for (i = 1; i <= KEYS; i++) freq[i] = 1 + bench_random(2, i) * 100;
  for (i = 0; i < ITEMS; i++) weight[i] = 1 + bench_random(3, i) * 399;

  bench_start();
  for (rep = 0; rep < 5; rep++) {
    /* number of ways, and the fewest coins */
    for (i = 0; i <= AMOUNT; i++) {
      ways[i] = 0;
      fewest[i] = 1000000;
    }
    ways[0] = 1;
    fewest[0] = 0;
    for (k = 0; k < COINS; k++)
      for (i = coins[k]; i <= AMOUNT; i++) {
        ways[i] += ways[i - coins[k]];
        if (fewest[i - coins[k]] + 1 < fewest[i]) fewest[i] = fewest[i - coins[k]] + 1;
      }
    check += ways[AMOUNT] + fewest[AMOUNT - rep];

    /* LIS */
    lis = 0;
    for (i = 0; i < SEQ; i++) {
      len[i] = 1;
      from[i] = -1;
      for (j = 0; j < i; j++)
        if (seq[j] < seq[i] && len[j] + 1 > len[i]) {
          len[i] = len[j] + 1;
          from[i] = j;
        }
      if (len[i] > len[lis]) lis = i;
    }
    check += len[lis];
    for (i = lis; i >= 0; i = from[i]) check += seq[i] % 7;

    /* optimal binary search tree */
    for (i = 1; i <= KEYS + 1; i++) {
      cost[i][i - 1] = 0;
      sum[i][i - 1] = 0;
    }
    for (l = 1; l <= KEYS; l++)
      for (i = 1; i + l - 1 <= KEYS; i++) {
        j = i + l - 1;
        sum[i][j] = sum[i][j - 1] + freq[j];
        cost[i][j] = 1000000000;
        for (r = i; r <= j; r++) {
          long c = cost[i][r - 1] + cost[r + 1][j] + sum[i][j];
          if (c < cost[i][j]) {
            cost[i][j] = c;
            root[i][j] = r;
          }
        }
      }
    check += cost[1][KEYS] + root[1][KEYS];

    /* partition into two halves */
    total = 0;
    for (i = 0; i < ITEMS; i++) total += weight[i];
    half = total / 2;
    for (i = 0; i <= half; i++) reach[i] = 0;
    reach[0] = 1;
    for (i = 0; i < ITEMS; i++)
      for (j = half; j >= weight[i]; j--)
        if (reach[j - weight[i]]) reach[j] = 1;
    best = half;
    while (!reach[best]) best--;
    check += total - 2 * best;
    freq[rep + 1] += 3;
    seq[rep * 11] += 50;
  }
  bench_stop();
  printf("check dpclassics %ld %d\n", check, lis);
  return 0;
}
