/* With `wild` a kernel writes far outside of its array; with `async` nobody waits for it at
   once. At the end it says what the host's array holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1000

static double a[N];
static long at[N];

static void end(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i];
  printf("host %.0f\n", sum);
}

int main(int argc, char **argv) {
  int wild = 0, async = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "wild")) wild = 1;
    if (!strcmp(argv[i], "async")) async = 1;
  }
  atexit(end);
  for (int i = 0; i < N; i++) {
    a[i] = 1;
    at[i] = i;
  }
  if (wild) at[7] = 1L << 40;
#pragma acc data copy(a) copyin(at)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] += 1;
#pragma acc update self(a)
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] *= 10;
    if (async) {
#pragma acc parallel loop async(1)
      for (int i = 0; i < N; i++) a[at[i]] = 5;
#pragma acc wait(1)
    } else {
#pragma acc parallel loop
      for (int i = 0; i < N; i++) a[at[i]] = 5;
    }
  }
  printf("to the end\n");
  return 0;
}
