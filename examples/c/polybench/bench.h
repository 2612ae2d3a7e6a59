/* What the kernels here share: sizes, arrays, initial values, what they print.

   -DMINI, -DSMALL, -DMEDIUM, -DLARGE   the size class (SMALL); -DN=... and the like
                                        for single sizes
   -DBENCH_FLOAT                        float where it would be double
   -DBENCH_STATIC                       static arrays; from malloc without it
   -DUSE_ACC                            OpenACC's directives; `scop` without it
   -DNO_PRAGMA                          neither
   -DDUMP                               print all elements of the results
   -DBENCH_CPU_TIME                     the processor time of the kernel in place of its time

   Each result is a line `check NAME COUNT ABS WEIGHTED` on standard output: the number of
   elements, the sum of their magnitudes, and a sum in which each place has a weight of
   its own. With -DDUMP a line `array NAME COUNT` and one line for each element follow. The
   time of the kernel goes to standard error. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(MINI)
#define BENCH_SIZE(mini, small, medium, large) mini
#elif defined(MEDIUM)
#define BENCH_SIZE(mini, small, medium, large) medium
#elif defined(LARGE)
#define BENCH_SIZE(mini, small, medium, large) large
#else
#define BENCH_SIZE(mini, small, medium, large) small
#endif

#ifndef DATA_TYPE
#ifdef BENCH_FLOAT
#define DATA_TYPE float
#define VAL(x) x##f
#define SQRT(x) sqrtf(x)
#define EXP(x) expf(x)
#define POW(x, y) powf(x, y)
#else
#define DATA_TYPE double
#define VAL(x) x
#define SQRT(x) sqrt(x)
#define EXP(x) exp(x)
#define POW(x, y) pow(x, y)
#endif
#endif

/* ACC(...) is a directive, SCOP and ENDSCOP go around the loops. */
#define BENCH_PRAGMA(text) _Pragma(#text)
#if defined(NO_PRAGMA)
#define ACC(...)
#define SCOP
#define ENDSCOP
#elif defined(USE_ACC)
#define ACC(...) BENCH_PRAGMA(acc __VA_ARGS__)
#define SCOP
#define ENDSCOP
#else
#define ACC(...)
#define SCOP BENCH_PRAGMA(scop)
#define ENDSCOP BENCH_PRAGMA(endscop)
#endif

/* Declares an array; BENCH_FREE ends it. */
#ifdef BENCH_STATIC
#define BENCH_1D(a, n0) static DATA_TYPE a[n0]
#define BENCH_2D(a, n0, n1) static DATA_TYPE a[n0][n1]
#define BENCH_3D(a, n0, n1, n2) static DATA_TYPE a[n0][n1][n2]
#define BENCH_FREE(a) ((void)(a))
#else
#define BENCH_1D(a, n0) DATA_TYPE *a = bench_alloc((size_t)(n0))
#define BENCH_2D(a, n0, n1) DATA_TYPE(*a)[n1] = bench_alloc((size_t)(n0) * (n1))
#define BENCH_3D(a, n0, n1, n2) \
  DATA_TYPE(*a)[n1][n2] = bench_alloc((size_t)(n0) * (n1) * (n2))
#define BENCH_FREE(a) free((void *)(a))
#endif

static inline void *bench_alloc(size_t n) {
  void *p = calloc(n, sizeof(DATA_TYPE));
  if (!p) {
    fprintf(stderr, "no memory for %zu elements\n", n);
    exit(2);
  }
  return p;
}

/* Element i of the random sequence of a seed, in [0, 1): SplitMix64. */
static inline double bench_random(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Fills an array of n elements. */
static inline void bench_fill(void *array, long n, uint64_t seed) {
  DATA_TYPE *a = (DATA_TYPE *)array;
  for (long i = 0; i < n; i++) a[i] = (DATA_TYPE)bench_random(seed, (uint64_t)i);
}

static inline void bench_zero(void *array, long n) {
  DATA_TYPE *a = (DATA_TYPE *)array;
  for (long i = 0; i < n; i++) a[i] = 0;
}

/* A random matrix of n rows with n added to its diagonal. */
static inline void bench_dominant(void *array, long n, uint64_t seed) {
  DATA_TYPE *a = (DATA_TYPE *)array;
  bench_fill(array, n * n, seed);
  for (long i = 0; i < n; i++) a[i * n + i] += (DATA_TYPE)n;
}

static inline void bench_show(const char *name, const void *array, long n) {
  const DATA_TYPE *a = (const DATA_TYPE *)array;
  double magnitude = 0, weighted = 0;
  for (long i = 0; i < n; i++) {
    magnitude += fabs((double)a[i]);
    weighted += (double)a[i] * (1 + (double)(i % 97) / 97);
  }
  printf("check %s %ld %.17g %.17g\n", name, n, magnitude, weighted);
#ifdef DUMP
  printf("array %s %ld\n", name, n);
  for (long i = 0; i < n; i++) printf("%.17g\n", (double)a[i]);
#endif
}

static double bench_began;

static inline double bench_now(void) {
#ifdef BENCH_CPU_TIME
  return (double)clock() / CLOCKS_PER_SEC;
#else
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

static inline void bench_start(void) { bench_began = bench_now(); }

static inline void bench_stop(void) {
  fprintf(stderr, "time %.6f\n", bench_now() - bench_began);
}

#endif
