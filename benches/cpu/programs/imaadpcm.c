/* IMA ADPCM: encode, decode, and the error that is left. */
#include "bench.h"

static const int step_table[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int8_t index_table[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

typedef struct {
  int16_t predictor;
  uint8_t index;
} adpcm_state;

#define N 200000
static int16_t pcm[N], back[N];
static uint8_t packed[N / 2];

static inline int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static uint8_t encode_sample(adpcm_state *s, int sample) {
  int step = step_table[s->index], diff = sample - s->predictor;
  uint8_t code = 0;
  if (diff < 0) {
    code = 8;
    diff = -diff;
  }
  int moved = step >> 3;
  for (int bit = 4; bit; bit >>= 1, step >>= 1)
    if (diff >= step) {
      code |= bit;
      diff -= step;
      moved += step;
    }
  s->predictor = (int16_t)clampi(s->predictor + (code & 8 ? -moved : moved), -32768, 32767);
  s->index = (uint8_t)clampi(s->index + index_table[code & 7], 0, 88);
  return code;
}

static int16_t decode_sample(adpcm_state *s, uint8_t code) {
  int step = step_table[s->index];
  int diff = step >> 3;
  if (code & 4) diff += step;
  if (code & 2) diff += step >> 1;
  if (code & 1) diff += step >> 2;
  s->predictor = (int16_t)clampi(s->predictor + (code & 8 ? -diff : diff), -32768, 32767);
  s->index = (uint8_t)clampi(s->index + index_table[code & 7], 0, 88);
  return s->predictor;
}

int main(void) {
  for (int i = 0; i < N; i++)
    pcm[i] = (int16_t)(11000 * sin(i * 0.02) * sin(i * 0.0003) + 2000 * (bench_random(8, i) - 0.5));
  long noise = 0;
  unsigned sum = 0;
  bench_start();
  for (int r = 0; r < 20; r++) {
    adpcm_state e = {(int16_t)r, 0}, d = e;
    uint8_t *o = packed;
    for (const int16_t *p = pcm; p < pcm + N; p += 2) {
      uint8_t lo = encode_sample(&e, p[0]);
      *o++ = (uint8_t)(lo | encode_sample(&e, p[1]) << 4);
    }
    int16_t *q = back;
    for (int i = 0; i < N / 2; i++) {
      *q++ = decode_sample(&d, packed[i] & 15);
      *q++ = decode_sample(&d, packed[i] >> 4);
    }
    for (int i = 0; i < N; i++) noise += abs(pcm[i] - back[i]);
    for (int i = 0; i < N / 2; i++) sum = sum * 33 + packed[i];
  }
  bench_stop();
  printf("check imaadpcm %ld %u\n", noise, sum);
  return 0;
}
