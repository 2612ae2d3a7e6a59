/* UTF-8: an ASCII fast path by words, validation, counts by length and a transcoding to UTF-16. */
#include "bench.h"
#include <string.h>

typedef struct {
  size_t points, errors, by_length[5];
} stats;

static size_t ascii_prefix(const uint8_t *s, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t w;
    memcpy(&w, s + i, 8);
    if (w & UINT64_C(0x8080808080808080)) break;
  }
  while (i < n && s[i] < 0x80) i++;
  return i;
}

/* Length of the sequence at s, 0 where it is malformed. */
static int decode(const uint8_t *s, size_t left, uint32_t *cp) {
  uint8_t b = s[0];
  int len = b < 0x80 ? 1 : (b & 0xe0) == 0xc0 ? 2 : (b & 0xf0) == 0xe0 ? 3 : (b & 0xf8) == 0xf0 ? 4 : 0;
  if (!len || (size_t)len > left) return 0;
  uint32_t v = len == 1 ? b : b & (0xffu >> (len + 1));
  for (int k = 1; k < len; k++) {
    if ((s[k] & 0xc0) != 0x80) return 0;
    v = v << 6 | (s[k] & 0x3f);
  }
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) return 0;
  *cp = v;
  return len;
}

static size_t to_utf16(const uint8_t *s, size_t n, uint16_t *out, stats *st) {
  uint16_t *o = out;
  for (size_t i = 0; i < n;) {
    size_t run = ascii_prefix(s + i, n - i);
    for (size_t k = 0; k < run; k++) o[k] = s[i + k];
    o += run;
    i += run;
    st->points += run;
    st->by_length[1] += run;
    if (i == n) break;
    uint32_t cp;
    int len = decode(s + i, n - i, &cp);
    if (!len) {
      st->errors++;
      *o++ = 0xfffd;
      i++;
      continue;
    }
    st->points++;
    st->by_length[len]++;
    i += (size_t)len;
    if (cp < 0x10000) {
      *o++ = (uint16_t)cp;
    } else {
      cp -= 0x10000;
      *o++ = (uint16_t)(0xd800 | cp >> 10);
      *o++ = (uint16_t)(0xdc00 | (cp & 0x3ff));
    }
  }
  return (size_t)(o - out);
}

static size_t put(uint8_t *p, uint32_t cp) {
  if (cp < 0x80) return p[0] = (uint8_t)cp, 1;
  int len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
  for (int k = len - 1; k > 0; k--, cp >>= 6) p[k] = (uint8_t)(0x80 | (cp & 0x3f));
  p[0] = (uint8_t)(0xf00 >> len | cp);
  return (size_t)len;
}

int main(void) {
  enum { N = 400000 };
  uint8_t *text = malloc(N + 8);
  uint16_t *wide = malloc(2 * (N + 8) * sizeof *wide);
  size_t n = 0;
  for (int i = 0; n < N; i++) {
    double r = bench_random(1, i), t = bench_random(2, i);
    uint32_t cp = r < 0.8 ? 32 + (uint32_t)(t * 90) : r < 0.9 ? 0x370 + (uint32_t)(t * 0x400)
                : r < 0.97 ? 0x3040 + (uint32_t)(t * 0x4000) : 0x1f300 + (uint32_t)(t * 0x300);
    n += put(text + n, cp);
    if (i % 5003 == 0) text[n - 1] ^= 0x80;
  }
  stats st = {0};
  size_t units = 0;
  uint32_t hash = 2166136261u;
  bench_start();
  for (int r = 0; r < 25; r++) {
    size_t m = to_utf16(text, n - (size_t)r, wide, &st);
    units += m;
    for (size_t i = 0; i < m; i++) hash = (hash ^ wide[i]) * 16777619u;
  }
  bench_stop();
  printf("check utf8check %zu %zu %zu %zu %zu %zu %u\n", st.points, st.errors, st.by_length[2], st.by_length[3], st.by_length[4],
         units, hash);
  free(text);
  free(wide);
  return 0;
}
