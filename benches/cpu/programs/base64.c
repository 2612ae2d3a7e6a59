/* Bytes to the letters of base64 by a table and back by another one. */
#include "bench.h"

#define N 1500000

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static signed char values[256];

static size_t encode(const unsigned char *in, size_t n, char *out) {
  size_t o = 0;
  for (size_t i = 0; i + 2 < n; i += 3) {
    unsigned v = in[i] << 16 | in[i + 1] << 8 | in[i + 2];
    out[o++] = letters[v >> 18];
    out[o++] = letters[v >> 12 & 63];
    out[o++] = letters[v >> 6 & 63];
    out[o++] = letters[v & 63];
  }
  return o;
}

static long decode(const char *in, size_t n, unsigned char *out) {
  long o = 0;
  for (size_t i = 0; i < n; i += 4) {
    int a = values[(unsigned char)in[i]], b = values[(unsigned char)in[i + 1]];
    int c = values[(unsigned char)in[i + 2]], d = values[(unsigned char)in[i + 3]];
    if (a < 0 || b < 0 || c < 0 || d < 0) return -1;
    out[o++] = a << 2 | b >> 4;
    out[o++] = (b & 15) << 4 | c >> 2;
    out[o++] = (c & 3) << 6 | d;
  }
  return o;
}

static void rot13(char *text, size_t n, const char map[256]) {
  for (size_t i = 0; i < n; i++) text[i] = map[(unsigned char)text[i]];
}

int main(void) {
  unsigned char *data = malloc(N), *back = malloc(N);
  char *text = malloc(N / 3 * 4), map[256];
  for (int i = 0; i < N; i++) data[i] = (unsigned char)(bench_random(1, i) * 256);
  for (int i = 0; i < 256; i++) values[i] = -1, map[i] = (char)i;
  for (int i = 0; i < 64; i++) values[(unsigned char)letters[i]] = i;
  for (int i = 0; i < 26; i++) map['A' + i] = 'A' + (i + 13) % 26, map['a' + i] = 'a' + (i + 13) % 26;

  long decoded = 0;
  bench_start();
  for (int r = 0; r < 36; r++) {
    size_t length = encode(data, N, text);
    rot13(text, length, map);
    decoded += decode(text, length, back);
    unsigned char *swap = data;
    data = back;
    back = swap;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < N; i++) sum += data[i] * (1 + i % 17);
  printf("check base64 %ld %ld %.20s\n", decoded, sum, text);
  free(data);
  free(back);
  free(text);
  return 0;
}
