/* Letters of a text to upper case and to lower case, in place. */
#include "bench.h"

#define N 4000000

static void upper(char *s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] >= 'a' && s[i] <= 'z') s[i] = s[i] - 'a' + 'A';
}

static void lower(char *s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] >= 'A' && s[i] <= 'Z') s[i] = s[i] - 'A' + 'a';
}

int main(void) {
  char *text = malloc(N);
  unsigned state = 5;
  for (int i = 0; i < N; i++) {
    state = state * 1664525u + 1013904223u;
    text[i] = 32 + (state >> 24) % 95;
  }

  bench_start();
  for (int r = 0; r < 8; r++) {
    upper(text, N);
    text[r * 1001] = 'q';
    lower(text, N);
    text[r * 1003] = 'Q';
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++) sum += text[i] * (1 + i % 13);
  printf("check text %ld %d %d\n", sum, text[0], text[N / 2]);
  free(text);
  return 0;
}
