/* What the programs of this folder share: memory, numbers, and what they print, which is
   as polybench/bench.h has it. */
#ifndef COMMON_H
#define COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* n doubles, all zero. */
static inline double *numbers(long n) {
  double *p = calloc((size_t)n, sizeof *p);
  if (!p) {
    fprintf(stderr, "no memory for %ld numbers\n", n);
    exit(2);
  }
  return p;
}

/* Number i of the sequence of a seed, in [0, 1): SplitMix64. */
static inline double uniform(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline void check(const char *name, const double *a, long n) {
  double magnitude = 0, weighted = 0;
  for (long i = 0; i < n; i++) {
    magnitude += fabs(a[i]);
    weighted += a[i] * (1 + (double)(i % 97) / 97);
  }
  printf("check %s %ld %.17g %.17g\n", name, n, magnitude, weighted);
#ifdef DUMP
  printf("array %s %ld\n", name, n);
  for (long i = 0; i < n; i++) printf("%.17g\n", a[i]);
#endif
}

static double began;

static inline double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void start(void) { began = now(); }

static inline void stop(void) { fprintf(stderr, "time %.6f\n", now() - began); }

#endif
