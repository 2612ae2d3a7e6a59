/* The length of the longest common subsequence of two strings, by the whole table. */
#include "bench.h"

#define N 3000

static int table[N + 1][N + 1];

static int lcs(const char *a, const char *b, int n, int m) {
  for (int i = 0; i <= n; i++) table[i][0] = 0;
  for (int j = 0; j <= m; j++) table[0][j] = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      if (a[i - 1] == b[j - 1])
        table[i][j] = table[i - 1][j - 1] + 1;
      else if (table[i - 1][j] > table[i][j - 1])
        table[i][j] = table[i - 1][j];
      else
        table[i][j] = table[i][j - 1];
    }
  return table[n][m];
}

int main(void) {
  static char a[N], b[N];
  for (int i = 0; i < N; i++) {
    a[i] = 'a' + (int)(4 * bench_random(1, i));
    b[i] = 'a' + (int)(4 * bench_random(2, i));
  }

  long sum = 0;
  bench_start();
  for (int r = 0; r < 12; r++) {
    sum += lcs(a, b, N, N - r);
    a[r * 5] = 'b';
  }
  bench_stop();

  printf("check lcs %ld %d\n", sum, table[N / 2][N / 3]);
  return 0;
}
