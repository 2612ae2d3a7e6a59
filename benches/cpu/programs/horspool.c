/* Finding words in a text: Boyer, Moore and Horspool; Knuth, Morris and Pratt; Rabin and Karp. */
#include "bench.h"
#include <string.h>

static long horspool(const char *text, size_t n, const char *word, size_t m) {
  size_t skip[256];
  long hits = 0;
  for (int c = 0; c < 256; c++) skip[c] = m;
  for (size_t i = 0; i + 1 < m; i++) skip[(unsigned char)word[i]] = m - 1 - i;
  for (size_t at = 0; at + m <= n; at += skip[(unsigned char)text[at + m - 1]]) {
    size_t k = m;
    while (k > 0 && text[at + k - 1] == word[k - 1]) k--;
    if (k == 0) hits++;
  }
  return hits;
}

static long kmp(const char *text, size_t n, const char *word, int m) {
  int fail[64];
  long hits = 0;
  fail[0] = -1;
  for (int i = 1, k = -1; i <= m; i++) {
    while (k >= 0 && word[k] != word[i - 1]) k = fail[k];
    fail[i] = ++k;
    if (i == 1) fail[1] = k = 0;
  }
  int k = 0;
  for (const char *p = text; p < text + n; p++) {
    while (k >= 0 && (k == m || word[k] != *p)) k = fail[k];
    if (++k == m) hits++;
  }
  return hits;
}

static long rabinkarp(const char *text, size_t n, const char *word, size_t m) {
  uint32_t h = 0, w = 0, top = 1;
  long hits = 0;
  for (size_t i = 0; i < m; i++) {
    w = w * 257 + (unsigned char)word[i];
    h = h * 257 + (unsigned char)text[i];
    if (i) top *= 257;
  }
  for (size_t at = 0;; at++) {
    if (h == w && !memcmp(text + at, word, m)) hits++;
    if (at + m >= n) return hits;
    h = (h - top * (unsigned char)text[at]) * 257 + (unsigned char)text[at + m];
  }
}

int main(void) {
  size_t n = 2500000;
  char *text = malloc(n + 1);
  for (size_t i = 0; i < n; i++) text[i] = "aaabbc d"[(int)(bench_random(1, i) * 8)];
  text[n] = 0;
  static const char *words[] = {"aabca", "bbabbab", "ac dab", "aaaaaaaa", "ba", "d daaab"};

  long counts[3] = {0};
  bench_start();
  for (int w = 0; w < 6; w++) {
    size_t m = strlen(words[w]);
    counts[0] += (w + 1) * horspool(text, n, words[w], m);
    counts[1] += (w + 1) * kmp(text, n, words[w], (int)m);
    counts[2] += (w + 1) * rabinkarp(text, n, words[w], m);
  }
  bench_stop();
  printf("check horspool %ld %ld %ld\n", counts[0], counts[1], counts[2]);
  free(text);
  return 0;
}
