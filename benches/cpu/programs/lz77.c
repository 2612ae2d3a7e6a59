/* A byte oriented LZ77 in the manner of LZ4: hash chains, lazy matching, and the decoder. */
#include "bench.h"
#include <string.h>

#define N (1 << 18)
#define HASH_BITS 14
#define WINDOW 65535
#define DEPTH 12
#define MIN_MATCH 4

static uint8_t src[N], out[N + N / 8 + 64], back[N];
static int32_t head[1 << HASH_BITS], prev[N];

static uint32_t read32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

static inline uint32_t hash4(const uint8_t *p) { return read32(p) * 2654435761u >> (32 - HASH_BITS); }

static int match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end) {
  const uint8_t *start = b;
  while (b < end && *a == *b) a++, b++;
  return (int)(b - start);
}

static int find(int at, int *distance) {
  int best = 0, tries = DEPTH;
  for (int32_t c = head[hash4(src + at)]; c >= 0 && at - c <= WINDOW && tries--; c = prev[c]) {
    if (src[c + best] != src[at + best]) continue;
    int l = match_length(src + c, src + at, src + N);
    if (l > best) {
      best = l;
      *distance = at - c;
      if (at + best >= N) break;
    }
  }
  return best;
}

static void enter(int at) {
  uint32_t h = hash4(src + at);
  prev[at] = head[h];
  head[h] = at;
}

static uint8_t *put_length(uint8_t *o, int extra) {
  for (; extra >= 255; extra -= 255) *o++ = 255;
  *o++ = (uint8_t)extra;
  return o;
}

static size_t compress(void) {
  uint8_t *o = out;
  int at = 0, anchor = 0;
  memset(head, 0xff, sizeof head);
  while (at < N - 12) {
    int d = 0, d2 = 0, len = find(at, &d);
    enter(at);
    if (len < MIN_MATCH) {
      at++;
      continue;
    }
    int len2 = find(at + 1, &d2);
    if (len2 > len + 1) {
      enter(++at);
      len = len2;
      d = d2;
    }
    int lit = at - anchor, m = len - MIN_MATCH;
    *o++ = (uint8_t)((lit < 15 ? lit : 15) << 4 | (m < 15 ? m : 15));
    if (lit >= 15) o = put_length(o, lit - 15);
    memcpy(o, src + anchor, (size_t)lit);
    o += lit;
    *o++ = (uint8_t)d;
    *o++ = (uint8_t)(d >> 8);
    if (m >= 15) o = put_length(o, m - 15);
    for (int i = 1; i < len && at + i < N - 12; i++) enter(at + i);
    at += len;
    anchor = at;
  }
  int lit = N - anchor;
  *o++ = (uint8_t)((lit < 15 ? lit : 15) << 4);
  if (lit >= 15) o = put_length(o, lit - 15);
  memcpy(o, src + anchor, (size_t)lit);
  return (size_t)(o + lit - out);
}

static size_t expand(const uint8_t *p, const uint8_t *end) {
  uint8_t *o = back;
  while (p < end) {
    uint8_t token = *p++;
    int lit = token >> 4, m = token & 15;
    if (lit == 15)
      do lit += *p;
      while (*p++ == 255);
    for (int i = 0; i < lit; i++) *o++ = *p++;
    if (p >= end) break;
    int d = p[0] | p[1] << 8;
    p += 2;
    if (m == 15)
      do m += *p;
      while (*p++ == 255);
    const uint8_t *from = o - d;
    for (int i = 0; i < m + MIN_MATCH; i++) *o++ = *from++;
  }
  return (size_t)(o - back);
}

int main(void) {
  for (int i = 0; i < N;) {
    int from = i > 100 ? (int)(bench_random(1, i) * i) : 0, len = 3 + (int)(bench_random(2, i) * 24);
    if (i < 400 || bench_random(3, i) < 0.4)
      src[i] = (uint8_t)(97 + bench_random(4, i) * 26), i++;
    else
      for (int k = 0; k < len && i < N; k++) src[i++] = src[from + k];
  }
  size_t size = 0, whole = 0;
  int wrong = 0;
  bench_start();
  for (int r = 0; r < 8; r++) {
    size += compress();
    size_t one = compress();
    whole += expand(out, out + one);
    wrong += memcmp(src, back, N) != 0;
    src[r * 7919] ^= 1;
  }
  bench_stop();
  printf("check lz77 %zu %zu %d\n", size, whole, wrong);
  return 0;
}
