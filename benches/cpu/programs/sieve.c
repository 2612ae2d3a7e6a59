/* Primes by a sieve, the divisors of numbers by sums, greatest common divisors and powers by a modulus. */
#include "bench.h"
#include <string.h>

#define N 1000000
#define M 20000

static unsigned char composite[N + 1];
static int divisors[M + 1];

static int sieve(int n) {
  memset(composite, 0, n + 1);
  int count = 0;
  for (int i = 2; i <= n; i++) {
    if (composite[i]) continue;
    count++;
    for (long j = (long)i * i; j <= n; j += i) composite[j] = 1;
  }
  return count;
}

static long perfect(int n) {
  for (int i = 1; i <= n; i++) divisors[i] = 0;
  for (int d = 1; d <= n / 2; d++)
    for (int m = 2 * d; m <= n; m += d) divisors[m] += d;
  long sum = 0;
  for (int i = 1; i <= n; i++)
    if (divisors[i] == i) sum += i;
  return sum;
}

static unsigned gcd(unsigned a, unsigned b) {
  while (b) {
    unsigned t = a % b;
    a = b;
    b = t;
  }
  return a;
}

static uint64_t power(uint64_t b, uint64_t e, uint64_t m) {
  uint64_t r = 1;
  while (e) {
    if (e & 1) r = r * b % m;
    b = b * b % m;
    e >>= 1;
  }
  return r;
}

int main(void) {
  long total = 0;
  bench_start();
  for (int r = 0; r < 12; r++) {
    total += sieve(N - r);
    total += perfect(M - r);
    for (unsigned i = 1; i < 20000; i++) total += gcd(i * 7919u, 1000003u * (r + 1) + i);
    for (int i = 1; i < 3000; i++) total += (long)power(i, 1000003 + r, 1000000007);
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i <= N; i++) sum += composite[i] * (1 + i % 7);
  printf("check sieve %ld %ld %d\n", total, sum, divisors[5040]);
  return 0;
}
