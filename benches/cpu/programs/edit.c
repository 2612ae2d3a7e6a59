/* The edit distance of two words, with two rows of the table only, and with weights. */
#include "bench.h"
#include <string.h>

static int min3(int a, int b, int c) {
  int m = a;
  if (b < m) m = b;
  if (c < m) m = c;
  return m;
}

static int levenshtein(const char *s, const char *t, int *before, int *now) {
  int n = strlen(s), m = strlen(t);
  for (int j = 0; j <= m; j++) before[j] = j;
  for (int i = 1; i <= n; i++) {
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int cost = s[i - 1] == t[j - 1] ? 0 : 1;
      now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + cost);
    }
    int *swap = before;
    before = now;
    now = swap;
  }
  return before[m];
}

static float align(const char *s, const char *t, float *row, const float weights[26][26], float gap) {
  size_t n = strlen(s), m = strlen(t);
  for (size_t j = 0; j <= m; j++) row[j] = j * gap;
  for (size_t i = 1; i <= n; i++) {
    float corner = row[0];
    row[0] = i * gap;
    for (size_t j = 1; j <= m; j++) {
      float best = corner + weights[s[i - 1] - 'a'][t[j - 1] - 'a'];
      if (row[j] + gap < best) best = row[j] + gap;
      if (row[j - 1] + gap < best) best = row[j - 1] + gap;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[m];
}

int main(void) {
  enum { N = 2500 };
  static char a[N + 1], b[N + 1];
  static int before[N + 1], now[N + 1];
  static float row[N + 1], weights[26][26];
  for (int i = 0; i < N; i++) {
    a[i] = 'a' + (int)(bench_random(1, i) * 6);
    b[i] = bench_random(2, i) < 0.6 ? a[i] : 'a' + (int)(bench_random(3, i) * 6);
  }
  for (int i = 0; i < 26; i++)
    for (int j = 0; j < 26; j++) weights[i][j] = i == j ? 0.0f : 0.5f + (float)bench_random(4, i * 26 + j);

  bench_start();
  int distance = 0;
  for (int r = 0; r < 8; r++) {
    distance += levenshtein(a, b, before, now);
    a[r * 10] = 'z';
  }
  float cost = align(a, b, row, weights, 0.8f);
  bench_stop();

  printf("check distance %d %.9g %d %.9g\n", distance, cost, now[N / 2], row[N / 3]);
  return 0;
}
