/* Sums over a pseudo-random sequence of 64 bits. */
#include "bench.h"

#define N 60000000

int main(void) {
  uint64_t state = 42, sum = 0;
  long odd = 0;

  bench_start();
  for (long i = 0; i < N; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t value = (uint32_t)(state >> 33);
    sum += value;
    if (value & 1) odd++;
  }
  bench_stop();

  printf("check random %llu %ld %llu\n", (unsigned long long)sum, odd, (unsigned long long)state);
  return 0;
}
