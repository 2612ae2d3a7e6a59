/* Records sorted by merging from below, by a key and then by a name. */
#include "bench.h"
#include <string.h>

#define N 20000

struct entry {
  int key;
  char name[8];
  float weight;
};

static struct entry a[N], b[N], fresh[N];

static int before(const struct entry *x, const struct entry *y) {
  if (x->key != y->key) return x->key < y->key;
  for (int i = 0; i < 8; i++)
    if (x->name[i] != y->name[i]) return x->name[i] < y->name[i];
  return 0;
}

static void merge(const struct entry *in, struct entry *out, int lo, int mid, int hi) {
  int i = lo, j = mid, o = lo;
  while (i < mid && j < hi) out[o++] = before(&in[j], &in[i]) ? in[j++] : in[i++];
  while (i < mid) out[o++] = in[i++];
  while (j < hi) out[o++] = in[j++];
}

static struct entry *merge_sort(struct entry *x, struct entry *y, int n) {
  for (int width = 1; width < n; width *= 2) {
    for (int lo = 0; lo < n; lo += 2 * width) {
      int mid = lo + width < n ? lo + width : n;
      int hi = lo + 2 * width < n ? lo + 2 * width : n;
      merge(x, y, lo, mid, hi);
    }
    struct entry *t = x;
    x = y;
    y = t;
  }
  return x;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    fresh[i].key = (int)(bench_random(1, i) * 3000);
    for (int k = 0; k < 7; k++) fresh[i].name[k] = 'a' + (int)(bench_random(k + 2, i) * 26);
    fresh[i].weight = (float)bench_random(9, i);
  }

  double total = 0;
  struct entry *sorted = a;
  bench_start();
  for (int r = 0; r < 30; r++) {
    memcpy(a, fresh, sizeof a);
    sorted = merge_sort(a, b, N);
    float sum = 0;
    for (int i = 0; i < N; i += 3) sum += sorted[i].weight;
    total += sum;
    fresh[r].key += 100;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++) sum += sorted[i].key * (1L + i % 13) + sorted[i].name[i % 7];
  printf("check merge %.17g %ld\n", total, sum);
  return 0;
}
