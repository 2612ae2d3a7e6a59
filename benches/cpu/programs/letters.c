/* How many letters, vowels and lines a text has, its longest line, and its runs of equal letters. */
#include "bench.h"

#define N 2000000

static long count_letters(const char *text) {
  long count = 0;
  for (const char *p = text; *p != '\0'; p++)
    if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) count++;
  return count;
}

static int count_char(const char *text, int n, char c) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (text[i] == c) count++;
  return count;
}

static int vowels(const char *text, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    switch (text[i]) {
      case 'a': case 'e': case 'i': case 'o': case 'u': count++; break;
      default: break;
    }
  }
  return count;
}

static int longest_line(const char *text, int n) {
  int longest = 0, length = 0;
  for (int i = 0; i < n; i++) {
    if (text[i] == '\n') {
      if (length > longest) longest = length;
      length = 0;
    } else {
      length++;
    }
  }
  return longest;
}

static int run_lengths(const char *text, int n, unsigned char *out) {
  int o = 0, i = 0;
  while (i < n) {
    int run = 1;
    while (i + run < n && run < 255 && text[i + run] == text[i]) run++;
    out[o++] = (unsigned char)run;
    out[o++] = (unsigned char)text[i];
    i += run;
  }
  return o;
}

int main(void) {
  char *text = malloc(N + 1);
  unsigned char *packed = malloc(2 * N);
  for (int i = 0; i < N; i++) {
    double d = bench_random(1, i);
    if (i > 0 && bench_random(2, i) < 0.4)
      text[i] = text[i - 1];
    else
      text[i] = d < 0.02 ? '\n' : d < 0.2 ? ' ' : d < 0.3 ? 'A' + (int)(d * 1000) % 26 : 'a' + (int)(d * 1000) % 26;
  }
  text[N] = '\0';

  long total = 0;
  bench_start();
  for (int r = 0; r < 5; r++) {
    total += count_letters(text) + count_char(text, N, '\n') + 3 * vowels(text, N);
    total += longest_line(text, N) * 7;
    total += run_lengths(text, N, packed);
    text[r * 1000] = '\n';
  }
  bench_stop();

  printf("check text %ld %d %d\n", total, packed[0], packed[2000]);
  free(text);
  free(packed);
  return 0;
}
