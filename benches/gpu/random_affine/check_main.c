/* Calls a form of a random program once: `main FORM FILE`, and writes what it left in its outputs to FILE. The
   elements at first are those that `terrace run` gives arrays of `random` with the same seeds. The file in front of
   this one defines FORMS, ARRAYS and CALL. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* f, d, i, u and s are float, double, int, unsigned char and short. */
static void *filled(char type, long n, uint64_t seed) {
  size_t bytes = type == 'd' ? 8 : type == 'u' ? 1 : type == 's' ? 2 : 4;
  char *p = malloc((size_t)n * bytes + 1);
  for (long i = 0; i < n; i++) {
    uint64_t z = seed + ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    double part = (double)(z >> 11) * 0x1p-53;
    int whole = (int)(z >> 60) - 8;
    if (type == 'f') ((float *)p)[i] = (float)part;
    if (type == 'd') ((double *)p)[i] = part;
    if (type == 'i') ((int *)p)[i] = whole;
    if (type == 'u') ((unsigned char *)p)[i] = (unsigned char)whole;
    if (type == 's') ((short *)p)[i] = (short)whole;
  }
  return p;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  FILE *f = fopen(argv[2], "wb");
  if (!f) return 2;
#define ARRAY(type, name, count, seed, written) void *name = filled(type, count, seed);
  ARRAYS
#undef ARRAY
#define FORM(name) if (!strcmp(argv[1], #name)) kernel_##name CALL;
  FORMS
#undef FORM
#define ARRAY(type, name, count, seed, written) \
  if (written) fwrite(name, type == 'd' ? 8 : type == 'u' ? 1 : type == 's' ? 2 : 4, count, f);
  ARRAYS
#undef ARRAY
  return fclose(f) != 0;
}
