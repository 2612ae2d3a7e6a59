/* Ising's spins on a torus, the white and the black squares in turn, one random stream a row. */
#include "bench.h"

#define N 512

static signed char spin[N][N];
static uint32_t stream[N];

static void sweep(int colour, const uint32_t *accept) {
  for (int i = 0; i < N; i++) {
    uint32_t s = stream[i];
    const signed char *up = spin[(i + N - 1) % N], *down = spin[(i + 1) % N];
    signed char *row = spin[i];
    for (int j = (i + colour) & 1; j < N; j += 2) {
      s ^= s << 13;
      s ^= s >> 17;
      s ^= s << 5;
      int field = up[j] + down[j] + row[(j + 1) & (N - 1)] + row[(j - 1) & (N - 1)];
      int e = row[j] * field;
      if (e <= 0 || s < accept[e]) row[j] = -row[j];
    }
    stream[i] = s;
  }
}

int main(void) {
  uint32_t accept[5] = {0};
  for (int e = 1; e <= 4; e++) accept[e] = (uint32_t)(4294967295.0 * exp(-2 * e * 0.44));
  for (int i = 0; i < N; i++) {
    stream[i] = 1 + (uint32_t)(bench_random(1, i) * 4e9);
    for (int j = 0; j < N; j++) spin[i][j] = bench_random(2, i * N + j) < 0.5 ? -1 : 1;
  }

  bench_start();
  for (int t = 0; t < 100; t++) {
    sweep(0, accept);
    sweep(1, accept);
  }
  bench_stop();

  long m = 0, e = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      m += spin[i][j];
      e -= spin[i][j] * (spin[(i + 1) % N][j] + spin[i][(j + 1) % N]);
    }
  printf("check ising %ld %ld\n", m, e);
  return 0;
}
