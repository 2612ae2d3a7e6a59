/* Bytes that are replaced by a table's, again and again: a substitution in rounds. */
#include "bench.h"

#define N 60000

static unsigned char text[N], box[256];

static void substitute(void) {
  for (int i = 0; i < N; i++) text[i] = box[text[i]];
}

int main(void) {
  for (int i = 0; i < 256; i++) box[i] = i * 7 + 3;
  for (int i = 0; i < N; i++) text[i] = bench_random(1, i) * 256;
  bench_start();
  for (int r = 0; r < 2000; r++) substitute();
  bench_stop();
  long sum = 0;
  for (int i = 0; i < N; i++) sum += text[i] * (1 + i % 7);
  printf("check bytes %ld %d\n", sum, text[N / 2]);
  return 0;
}
