/* Asks for more memory than any device has, or, with `fill`, for all of it in pieces. At
   the end it says what the host's array holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1000000

static double held[N];

static void end(void) { printf("host %.0f %.0f\n", held[0], held[N - 1]); }

int main(int argc, char **argv) {
  long huge = 1L << 46;
  char *big = malloc(8);
  (void)argc;
  atexit(end);
  for (int i = 0; i < N; i++) held[i] = 1;
#pragma acc data copy(held)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) held[i] += 1;
#pragma acc update self(held)
#pragma acc parallel loop
    for (int i = 0; i < N; i++) held[i] *= 10;
    if (argv[1] && !strcmp(argv[1], "fill")) {
      for (int i = 0;; i++) {
        long piece = 256L << 20;
        char *address = big + i * piece;
#pragma acc enter data create(address[0:piece])
      }
    }
#pragma acc enter data create(big[0:huge])
  }
  printf("not reached\n");
  return 0;
}
