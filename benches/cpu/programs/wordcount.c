/* Counts blanks, lines and words of a text, as wc does. */
#include "bench.h"

#define N 4000000

static void count(const char *text, long n, long *blanks, long *lines, long *words) {
  int inside = 0;
  *blanks = *lines = *words = 0;
  for (long i = 0; i < n; i++) {
    char c = text[i];
    if (c == '\n') (*lines)++;
    if (c == ' ') (*blanks)++;
    if (c == ' ' || c == '\n' || c == '\t') {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      (*words)++;
    }
  }
}

int main(void) {
  char *text = malloc(N);
  unsigned state = 3;
  for (int i = 0; i < N; i++) {
    state = state * 1664525u + 1013904223u;
    unsigned r = state >> 24;
    text[i] = r < 40 ? ' ' : r < 45 ? '\n' : r < 47 ? '\t' : 'a' + r % 26;
  }

  long sum = 0, blanks, lines, words;
  bench_start();
  for (int r = 0; r < 16; r++) {
    text[r * 1001] = r % 2 ? ' ' : 'x';
    count(text, N, &blanks, &lines, &words);
    sum += blanks + 3 * lines + 5 * words;
  }
  bench_stop();

  printf("check text %ld %ld %ld %ld\n", sum, blanks, lines, words);
  free(text);
  return 0;
}
