/* agrep: the Wu-Manber bit-parallel search with up to K errors, several patterns over a text. */
#include "bench.h"
#include <string.h>

#define K 3
#define LEN 300000

static char text[LEN + 1];

static long search(const char *text, size_t n, const char *pattern, int k, long *first) {
  size_t m = strlen(pattern);
  uint64_t mask[256], r[K + 1], found = UINT64_C(1) << (m - 1);
  long hits = 0;
  *first = -1;
  for (int c = 0; c < 256; c++) mask[c] = 0;
  for (size_t i = 0; i < m; i++) mask[(unsigned char)pattern[i]] |= UINT64_C(1) << i;
  for (int d = 0; d <= k; d++) r[d] = (UINT64_C(1) << d) - 1;
  for (size_t i = 0; i < n; i++) {
    uint64_t c = mask[(unsigned char)text[i]], old = r[0];
    r[0] = ((r[0] << 1) | 1) & c;
    for (int d = 1; d <= k; d++) {
      uint64_t t = r[d];
      r[d] = (((t << 1) & c) | old | (old << 1) | (r[d - 1] << 1)) | 1;
      old = t;
    }
    if (r[k] & found) {
      hits++;
      if (*first < 0) *first = (long)i;
    }
  }
  return hits;
}

int main(void) {
  static const char *patterns[] = {"parallel", "dependence", "scheduling polyhedra", "loop", "vectorised inner loops", "affine"};
  static const char *words[] = {"paralel ", "dependance ", "loop ", "of ", "the ", "vector ", "inner ", "polyhedra ",
                                "scheduling ", "affine ", "finally ", "parallels ", "a ", "independence "};
  size_t n = 0;
  for (int i = 0; n < LEN - 16; i++) {
    const char *w = words[(int)(bench_random(1, i) * 14)];
    size_t l = strlen(w);
    memcpy(text + n, w, l);
    n += l;
    if (i % 11 == 0) text[n - 2] = 'x';
  }
  long total = 0, places = 0, first;
  bench_start();
  for (int rep = 0; rep < 3; rep++)
    for (int p = 0; p < 6; p++)
      for (int k = 0; k <= K; k++) {
        total += search(text + rep, n - rep, patterns[p], k, &first) * (p + 1);
        places += first;
      }
  bench_stop();
  printf("check bitap %ld %ld\n", total, places);
  return 0;
}
