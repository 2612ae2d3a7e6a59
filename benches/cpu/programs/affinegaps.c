/* Global alignment with affine gaps: three tables of Gotoh, as one VLA of structs. */
#include "bench.h"

struct cell {
  int m, x, y;
};

#define NEG (-1000000)

static inline int max2(int a, int b) { return a > b ? a : b; }
static inline int max3(int a, int b, int c) { return max2(max2(a, b), c); }

static int gotoh(int n, int m, const unsigned char a[n], const unsigned char b[m],
                 struct cell t[n + 1][m + 1], const signed char cost[20][20]) {
  const int open = -11, extend = -1;
  t[0][0] = (struct cell){0, NEG, NEG};
  for (int i = 1; i <= n; i++) t[i][0] = (struct cell){NEG, open + (i - 1) * extend, NEG};
  for (int j = 1; j <= m; j++) t[0][j] = (struct cell){NEG, NEG, open + (j - 1) * extend};
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      struct cell d = t[i - 1][j - 1], u = t[i - 1][j], l = t[i][j - 1];
      t[i][j].m = max3(d.m, d.x, d.y) + cost[a[i - 1]][b[j - 1]];
      t[i][j].x = max2(u.m + open, u.x + extend);
      t[i][j].y = max2(l.m + open, l.y + extend);
    }
  return max3(t[n][m].m, t[n][m].x, t[n][m].y);
}

int main(void) {
  enum { LEN = 900 };
  unsigned char a[LEN], b[LEN + 100];
  signed char cost[20][20];
  for (int i = 0; i < 20; i++)
    for (int j = 0; j <= i; j++) cost[i][j] = cost[j][i] = i == j ? 6 : (int)(bench_random(3, i * 20 + j) * 6) - 4;
  for (int i = 0; i < LEN; i++) a[i] = (int)(bench_random(1, i) * 20);
  for (int i = 0; i < LEN + 100; i++) b[i] = i % 7 ? a[i * 8 / 9 % LEN] : (int)(bench_random(2, i) * 20);
  void *t = malloc(sizeof(struct cell[LEN + 1][LEN + 101]));

  long total = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    int n = LEN - r, m = LEN + 100 - 3 * r;
    total += (r + 1) * gotoh(n, m, a, b, t, cost);
  }
  bench_stop();
  printf("check affinegaps %ld\n", total);
  free(t);
  return 0;
}
