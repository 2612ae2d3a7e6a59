/* Connected components of a picture by union and find with halved paths; percolation. */
#include "bench.h"

static int *parent, *size;

static int find(int x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

static int join(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b) return 0;
  if (size[a] < size[b]) {
    int t = a;
    a = b;
    b = t;
  }
  parent[b] = a;
  size[a] += size[b];
  return 1;
}

static int components(int n, const unsigned char *open, int *largest, int *through) {
  int count = 0;
  for (int i = 0; i < n * n; i++) {
    parent[i] = i;
    size[i] = 1;
    count += open[i];
  }
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      int i = y * n + x;
      if (!open[i]) continue;
      if (x + 1 < n && open[i + 1]) count -= join(i, i + 1);
      if (y + 1 < n && open[i + n]) count -= join(i, i + n);
    }
  *largest = 0;
  for (int i = 0; i < n * n; i++)
    if (open[i] && parent[i] == i && size[i] > *largest) *largest = size[i];
  *through = 0;
  for (int a = 0; a < n && !*through; a++)
    if (open[a])
      for (int b = n * (n - 1); b < n * n; b++)
        if (open[b] && find(a) == find(b)) {
          *through = 1;
          break;
        }
  return count;
}

int main(void) {
  int n = 500;
  unsigned char *open = malloc(n * n);
  parent = malloc(n * n * sizeof(int));
  size = malloc(n * n * sizeof(int));

  long sum = 0;
  int first = -1;
  bench_start();
  for (int percent = 50; percent < 70; percent++) {
    for (int i = 0; i < n * n; i++) open[i] = bench_random(9, i) * 100 < percent;
    int largest, through;
    sum += components(n, open, &largest, &through) + largest;
    if (through && first < 0) first = percent;
  }
  bench_stop();
  printf("check unionfind %ld %d\n", sum, first);
  free(open);
  free(parent);
  free(size);
  return 0;
}
