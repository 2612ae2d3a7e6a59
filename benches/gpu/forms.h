/* What the main functions that forms_text.py writes share: arrays with the values that
   `terrace run` gives those of the same kind and seed, their sums, and files of them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of OpenACC's library, where arrays stay on the device. */
void *acc_copyin(void *, size_t);
void acc_update_device(void *, size_t);
void acc_update_self(void *, size_t);

/* f, d, i, l and u are float, double, int, long and unsigned char. */
static size_t forms_bytes(char type) {
  return type == 'u' ? 1 : type == 'd' || type == 'l' ? sizeof(double) : sizeof(float);
}

static double forms_get(const void *p, char type, long i) {
  if (type == 'l') return (double)((const long *)p)[i];
  if (type == 'u') return ((const unsigned char *)p)[i];
  return type == 'f' ? ((const float *)p)[i] : type == 'd' ? ((const double *)p)[i] : ((const int *)p)[i];
}

static void forms_set(void *p, char type, long i, double value) {
  if (type == 'f') ((float *)p)[i] = (float)value;
  if (type == 'd') ((double *)p)[i] = value;
  if (type == 'i') ((int *)p)[i] = (int)value;
  if (type == 'l') ((long *)p)[i] = (long)value;
  if (type == 'u') ((unsigned char *)p)[i] = (unsigned char)value;
}

/* 64 bits: number i of the SplitMix64 sequence of a seed. */
static uint64_t forms_draw(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* n elements, in rows of `row`. They are zeros, or random: floats in [0, 1), integers in
   [-8, 8), bytes in [0, 256), or below `below` where that is given. A dominant one is a stack of random
   matrices with `row` added to each element of their diagonals. */
static void *forms_array(char type, long n, uint64_t seed, const char *fill, long row, long below) {
  void *p = calloc((size_t)n, forms_bytes(type));
  if (!p) exit(2);
  if (!strcmp(fill, "zeros")) return p;
  int dominant = !strcmp(fill, "dominant");
  for (long i = 0; i < n; i++) {
    uint64_t bits = forms_draw(seed, (uint64_t)i);
    double value = type == 'i' || type == 'l' ? (double)(bits >> 60) - 8 : (double)(bits >> 11) * 0x1p-53;
    if (type == 'u') value = (double)(bits >> 56);
    if (below) value = (double)(bits >> 11) * 0x1p-53 * (double)below;
    if (dominant && i / row % row == i % row) value += (double)row;
    forms_set(p, type, i, value);
  }
  return p;
}

static void forms_show(const char *name, const void *p, char type, long n) {
  double magnitude = 0, weighted = 0;
  for (long i = 0; i < n; i++) {
    double value = forms_get(p, type, i);
    magnitude += fabs(value);
    weighted += value * (1 + (double)(i % 97) / 97);
  }
  printf("check %s %ld %.17g %.17g\n", name, n, magnitude, weighted);
}

/* The array as NAME.npy; `shape` is as it stands there: "4, 8". */
static void forms_file(const char *name, const char *shape, const void *p, char type, long n) {
  char path[64], text[128];
  uint16_t length;
  snprintf(path, sizeof path, "%s.npy", name);
  FILE *f = fopen(path, "wb");
  if (!f) exit(2);
  snprintf(text, sizeof text, "{'descr': '<%s', 'fortran_order': False, 'shape': (%s,), }",
           type == 'd' ? "f8" : type == 'f' ? "f4" : type == 'l' ? "i8" : type == 'u' ? "i1" : "i4", shape);
  length = 118;
  fwrite("\x93NUMPY\1\0", 1, 8, f);
  fwrite(&length, 2, 1, f);
  fprintf(f, "%-117s\n", text);
  fwrite(p, forms_bytes(type), (size_t)n, f);
  fclose(f);
}

static double forms_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
