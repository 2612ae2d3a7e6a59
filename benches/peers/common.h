/* What the C peers share: element type, input data, timing, the report.
 *
 * Each program is compiled once with -DREAL=double and once with -DREAL=float,
 * takes its sizes as arguments, and prints
 *     NAME f64 SIZES best SECONDS median SECONDS gflops GFLOPS checksum SUM
 * The data are those of the programs in examples/: element i of an array with
 * seed s is SplitMix64's output for the state s + (i + 1) * 0x9E3779B97F4A7C15, made
 * uniform in [0,1) by its upper 53 bits.
 */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef REAL
#define REAL double
#endif

#define MAX_REPEAT 1000

/* The number of repetitions, from the environment. */
static int repeats(void) {
  const char *text = getenv("REPEAT");
  int n = text ? atoi(text) : 5;
  return n < 1 ? 1 : n > MAX_REPEAT ? MAX_REPEAT : n;
}

/* The n-th argument, or a default where it is missing. */
static long size_arg(int argc, char **argv, int n, long otherwise) {
  long value = argc > n ? strtol(argv[n], NULL, 10) : otherwise;
  if (value <= 0) {
    fprintf(stderr, "argument %d must be a positive number\n", n);
    exit(2);
  }
  return value;
}

static REAL *array(size_t n) {
  REAL *p = aligned_alloc(64, (n * sizeof(REAL) + 63) / 64 * 64);
  if (!p) {
    fprintf(stderr, "no memory for %zu elements\n", n);
    exit(1);
  }
  return p;
}

static double uniform(uint64_t seed, uint64_t i) {
  uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-53;
}

static void fill_random(REAL *p, size_t n, uint64_t seed) {
  for (size_t i = 0; i < n; i++)
    p[i] = (REAL)uniform(seed, i);
}

static void fill_zeros(REAL *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints the line of the program; `seconds` is sorted on the way. */
static void report(const char *name, const char *sizes, double *seconds, int n, double flops,
                   const REAL *result, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (double)result[i];
  qsort(seconds, (size_t)n, sizeof(double), by_value);
  double median = n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
  printf("%s %s %s best %.6f median %.6f gflops %.3f checksum %.17g\n", name,
         sizeof(REAL) == 8 ? "f64" : "f32", sizes, seconds[0], median, flops / median * 1e-9, sum);
}

/* Runs `kernel` after `prepare` a number of times and times the kernel alone;
 * one run more, before the others, warms up. */
#define MEASURE(seconds, count, prepare, kernel)                                                   \
  do {                                                                                             \
    for (int run_ = -1; run_ < (count); run_++) {                                                  \
      prepare;                                                                                     \
      double start_ = now();                                                                       \
      kernel;                                                                                      \
      double took_ = now() - start_;                                                               \
      if (run_ >= 0)                                                                               \
        (seconds)[run_] = took_;                                                                   \
    }                                                                                              \
  } while (0)

#endif
