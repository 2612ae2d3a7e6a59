/* Random numbers by shifts: points in a circle, throws of dice, a shuffle, and normal ones by sums. */
#include "bench.h"

#define N 50000

struct generator {
  uint64_t s[2];
};

static uint64_t next(struct generator *g) {
  uint64_t a = g->s[0], b = g->s[1];
  g->s[0] = b;
  a ^= a << 23;
  g->s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return g->s[1] + b;
}

static double unit(struct generator *g) { return (double)(next(g) >> 11) * 0x1p-53; }

static uint32_t state;

static uint32_t next32(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static int deck[N];
static long faces[13];
static float noise[N];

int main(void) {
  struct generator g = {{0x123456789abcdefULL, 0xfedcba987654321ULL}};
  state = 2463534242u;
  for (int i = 0; i < N; i++) deck[i] = i;

  long in = 0, total = 0;
  bench_start();
  for (int r = 0; r < 25; r++) {
    for (int i = 0; i < N; i++) {
      double x = unit(&g), y = unit(&g);
      if (x * x + y * y < 1) in++;
    }
    for (int i = 0; i < N; i++) faces[next32() % 6 + next32() % 6 + 2]++;
    for (int i = N - 1; i > 0; i--) {
      int j = (int)(next32() % (uint32_t)(i + 1));
      int t = deck[i];
      deck[i] = deck[j];
      deck[j] = t;
    }
    for (int i = 0; i < N; i++) {
      float s = 0;
      for (int k = 0; k < 12; k++) s += (float)(next32() >> 8) * (1.0f / 16777216.0f);
      noise[i] = s - 6;
    }
    total += deck[r] + (long)(noise[r] * 1000);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += deck[i] * (1.0 + i % 7) + noise[i];
  printf("check dice %ld %ld %ld %ld %.17g\n", in, total, faces[7], faces[12], sum);
  return 0;
}
