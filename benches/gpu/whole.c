/* Calls a program's main, compiled as bench_main, several times in one process: the first
   time starts the device, which is no part of what whole.sh measures.

   WHOLE_RUNS   how many calls (6)
   WHOLE_ENOUGH seconds after which no further call begins (2.5) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int bench_main(void);

static double setting(const char *name, double otherwise) {
  const char *text = getenv(name);
  return text && *text ? atof(text) : otherwise;
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  double runs = setting("WHOLE_RUNS", 6), enough = setting("WHOLE_ENOUGH", 2.5);
  double began = now();
  for (int run = 0; run < runs; run++) {
    int result = bench_main();
    fflush(stdout);
    if (result != 0) return result;
    /* One call after the first there must be. */
    if (run > 0 && now() - began > enough) break;
  }
  return 0;
}
