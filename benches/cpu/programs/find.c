/* A word in a text: tried at each place, by a table of its beginnings, by the last letters; letters replaced. */
#include "bench.h"
#include <string.h>

#define N 100000

static char text[N + 1], copy[N + 1];

static int naive(const char *t, int n, const char *w, int m) {
  int count = 0;
  for (int i = 0; i + m <= n; i++) {
    int j = 0;
    while (j < m && t[i + j] == w[j]) j++;
    if (j == m) count++;
  }
  return count;
}

static int by_prefixes(const char *t, int n, const char *w, int m) {
  int back[32];
  back[0] = 0;
  for (int i = 1, k = 0; i < m; i++) {
    while (k > 0 && w[i] != w[k]) k = back[k - 1];
    if (w[i] == w[k]) k++;
    back[i] = k;
  }
  int count = 0;
  for (int i = 0, k = 0; i < n; i++) {
    while (k > 0 && t[i] != w[k]) k = back[k - 1];
    if (t[i] == w[k]) k++;
    if (k == m) {
      count++;
      k = back[k - 1];
    }
  }
  return count;
}

static int by_last(const char *t, int n, const char *w, int m) {
  int skip[256];
  for (int c = 0; c < 256; c++) skip[c] = m;
  for (int j = 0; j < m - 1; j++) skip[(unsigned char)w[j]] = m - 1 - j;
  int count = 0;
  for (int i = 0; i + m <= n; i += skip[(unsigned char)t[i + m - 1]]) {
    int j = m - 1;
    while (j >= 0 && t[i + j] == w[j]) j--;
    if (j < 0) count++;
  }
  return count;
}

static void tidy(const char *in, char *out) {
  int blank = 1;
  for (; *in; in++) {
    if (*in == ' ' || *in == '\t' || *in == '\n') {
      if (!blank) *out++ = ' ';
      blank = 1;
    } else {
      *out++ = *in;
      blank = 0;
    }
  }
  *out = 0;
}

int main(void) {
  for (int i = 0; i < N; i++) text[i] = bench_random(1, i) < 0.2 ? ' ' : 'a' + (int)(bench_random(2, i) * 4);
  const char *words[] = {"abac", "dad", "abcabd", "caccac", "b a"};

  long total = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    const char *w = words[r % 5];
    int m = (int)strlen(w);
    total += naive(text, N, w, m) + 2 * by_prefixes(text, N, w, m) + 4 * by_last(text, N, w, m);
    tidy(text, copy);
    text[r * 1003] = 'a' + r % 4;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; copy[i]; i++) sum += copy[i] * (1 + i % 7);
  printf("check find %ld %ld\n", total, sum);
  return 0;
}
