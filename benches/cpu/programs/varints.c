/* Posting lists: sorted numbers as deltas in LEB128, decoded and intersected by galloping. */
#include "bench.h"

enum { LISTS = 8, MOST = 60000 };

static uint8_t *stream[LISTS];
static size_t bytes[LISTS];
static uint32_t counts[LISTS];

static uint8_t *put_varint(uint8_t *p, uint32_t v) {
  while (v >= 0x80) {
    *p++ = (uint8_t)(v | 0x80);
    v >>= 7;
  }
  *p++ = (uint8_t)v;
  return p;
}

static const uint8_t *get_varint(const uint8_t *p, const uint8_t *end, uint32_t *v) {
  uint32_t r = 0;
  for (unsigned shift = 0; p < end && shift < 35; shift += 7) {
    uint8_t b = *p++;
    r |= (uint32_t)(b & 0x7f) << shift;
    if (!(b & 0x80)) {
      *v = r;
      return p;
    }
  }
  return NULL;
}

static size_t decode(int list, uint32_t *out) {
  const uint8_t *p = stream[list], *end = p + bytes[list];
  uint32_t last = 0, delta;
  size_t n = 0;
  while (p < end) {
    p = get_varint(p, end, &delta);
    if (!p) return 0;
    out[n++] = last += delta;
  }
  return n;
}

static size_t intersect(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, uint32_t *out) {
  size_t i = 0, j = 0, n = 0;
  while (i < na && j < nb) {
    if (a[i] == b[j]) {
      out[n++] = a[i++];
      j++;
    } else if (a[i] < b[j]) {
      i++;
    } else {
      size_t step = 1;
      while (j + step < nb && b[j + step] < a[i]) {
        j += step;
        step <<= 1;
      }
      j++;
    }
  }
  return n;
}

int main(void) {
  static uint32_t a[MOST], b[MOST], c[MOST];
  for (int l = 0; l < LISTS; l++) {
    uint8_t *p = stream[l] = malloc(MOST * 5);
    counts[l] = MOST / (1 + l);
    for (uint32_t i = 0; i < counts[l]; i++) {
      double r = bench_random(l + 1, i);
      p = put_varint(p, 1 + (uint32_t)(r * r * r * 12 * (l + 1)));
    }
    bytes[l] = (size_t)(p - stream[l]);
  }
  uint64_t mix = 0, matches = 0;
  bench_start();
  for (int r = 0; r < 7; r++)
    for (int x = 0; x < LISTS; x++) {
      size_t na = decode(x, a);
      for (int y = 0; y < LISTS; y++) {
        if (x == y) continue;
        size_t nb = decode(y, b), n = intersect(a, na, b, nb, c);
        matches += n;
        for (size_t i = 0; i < n; i++) mix = (mix << 1 | mix >> 63) ^ c[i];
      }
    }
  bench_stop();
  printf("check varints %llu %llu\n", (unsigned long long)matches, (unsigned long long)mix);
  for (int l = 0; l < LISTS; l++) free(stream[l]);
  return 0;
}
