/* DTMF detection: eight Goertzel filters per block of telephone audio, fixed point. */
#include "bench.h"

#define RATE 8000
#define BLOCK 205
#define BLOCKS 6000
#define TONES 8

static const int tone_hz[TONES] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
static const char keypad[4][4] = {
    {'1', '2', '3', 'A'}, {'4', '5', '6', 'B'}, {'7', '8', '9', 'C'}, {'*', '0', '#', 'D'}};

static int16_t line_in[BLOCKS * BLOCK];
static int32_t coeff_q14[TONES];
static int64_t power[TONES];

static inline int16_t sat16(int32_t v) {
  if (v > 32767) return 32767;
  if (v < -32768) return -32768;
  return (int16_t)v;
}

static void goertzel_block(const int16_t *x, int n) {
  for (int t = 0; t < TONES; t++) {
    int32_t s1 = 0, s2 = 0;
    const int32_t c = coeff_q14[t];
    for (int i = 0; i < n; i++) {
      int32_t s0 = (x[i] >> 6) + (int32_t)(((int64_t)c * s1) >> 14) - s2;
      s2 = s1;
      s1 = s0;
    }
    power[t] = (int64_t)s1 * s1 + (int64_t)s2 * s2 - (((int64_t)c * s1) >> 14) * s2;
  }
}

static char decide(void) {
  int row = 0, col = 4;
  for (int t = 1; t < 4; t++)
    if (power[t] > power[row]) row = t;
  for (int t = 5; t < 8; t++)
    if (power[t] > power[col]) col = t;
  int64_t rest = 0;
  for (int t = 0; t < TONES; t++)
    if (t != row && t != col) rest += power[t];
  if (power[row] < 4 * rest || power[col] < 4 * rest) return '.';
  return keypad[row][col - 4];
}

int main(void) {
  for (int t = 0; t < TONES; t++)
    coeff_q14[t] = (int32_t)(2.0 * cos(2.0 * 3.14159265358979 * tone_hz[t] / RATE) * 16384.0);
  for (int b = 0; b < BLOCKS; b++) {
    int key = (b * 7 + b / 13) % 17;
    double f1 = tone_hz[key % 4], f2 = tone_hz[4 + (key / 4) % 4];
    for (int i = 0; i < BLOCK; i++) {
      double t = (double)i / RATE, v = 900 * (bench_random(3, b * BLOCK + i) - 0.5);
      if (key < 16) v += 7000 * sin(6.283185307 * f1 * t) + 6500 * sin(6.283185307 * f2 * t);
      line_in[b * BLOCK + i] = sat16((int32_t)v);
    }
  }
  long pressed = 0, sum = 0;
  uint64_t levels = 0;
  bench_start();
  for (int pass = 0; pass < 5; pass++)
    for (int b = 0; b < BLOCKS; b++) {
      goertzel_block(line_in + b * BLOCK, BLOCK - pass);
      char k = decide();
      if (k != '.') {
        pressed++;
        sum += k * (b % 31 + 1);
      }
      levels = levels * 31 + (uint64_t)power[b % TONES];
    }
  bench_stop();
  printf("check goertzel %ld %ld %llu\n", pressed, sum, (unsigned long long)levels);
  return 0;
}
