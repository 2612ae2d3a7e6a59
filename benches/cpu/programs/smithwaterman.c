/* Smith and Waterman's local alignment, two rows, gaps of one price. */
#include "bench.h"

static inline int max(int a, int b) { return a > b ? a : b; }

static int align(const char *a, int n, const char *b, int m, short *prev, short *cur, int *where) {
  int best = 0;
  for (int j = 0; j <= m; j++) prev[j] = cur[j] = 0;
  for (int i = 1; i <= n; i++) {
    char x = a[i - 1];
    for (int j = 1; j <= m; j++) {
      int s = prev[j - 1] + (x == b[j - 1] ? 3 : -2);
      s = max(s, prev[j] - 4);
      s = max(s, cur[j - 1] - 4);
      s = max(s, 0);
      cur[j] = s;
      if (s > best) {
        best = s;
        *where = i * 10000 + j;
      }
    }
    short *t = prev;
    prev = cur;
    cur = t;
  }
  return best;
}

int main(void) {
  static char a[2401], b[3001];
  for (int i = 0; i < 2400; i++) a[i] = "ACGT"[(int)(bench_random(1, i) * 4)];
  for (int i = 0; i < 3000; i++) b[i] = "ACGT"[(int)(bench_random(2, i) * 4)];
  for (int i = 0; i < 200; i++)
    if (i % 9) b[1000 + i] = a[500 + i];
  short *rows = malloc(2 * 3001 * sizeof(short));

  int where = 0;
  long sum = 0;
  bench_start();
  for (int r = 0; r < 10; r++) {
    sum += align(a + 10 * r, 2400 - 10 * r, b, 3000, rows, rows + 3001, &where);
    sum += where % 1000;
  }
  bench_stop();
  printf("check smithwaterman %ld %d\n", sum, where);
  free(rows);
  return 0;
}
