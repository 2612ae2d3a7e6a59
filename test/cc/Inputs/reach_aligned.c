/* Arrays of bytes that lie before longer elements, and are copied with them. */
#include <stdio.h>

unsigned long g0[12][20];
static signed char g1[64];
float g3[6][8][10];
static int g4[48];

static void f5(int n, signed char *restrict q0) {
  unsigned short s52 = 3;
#pragma acc kernels
  {
    g4[44] += q0[(s52 & 2047) << 2 & 63] << 2;
    for (int i61 = 8; i61 > 2; i61 -= 2) {
      g3[q0[i61] ^ g0[1][1]][i61 / 3][1] = 1;
    }
  }
}

/* The same memory by two names: the one begins at an odd byte. */
static void joined(int n, const unsigned char *b, const long *l, long *out) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++) out[i] = b[i] + l[i];
}

int main(void) {
  for (int i = 0; i < 64; i++) g1[i] = i % 5;
  f5(3, g1);
  long sum = g4[44];
  for (int i = 0; i < 6 * 8 * 10; i++) sum += (long)((float *)g3)[i] * (i + 1);
  printf("%ld\n", sum);
  long all[20], out[8];
  for (int i = 0; i < 20; i++) all[i] = i * 1234567L;
  for (int odd = 0; odd < 8; odd++) {
    joined(8, (unsigned char *)all + 4 + odd, all + 1, out);
    for (int i = 0; i < 8; i++) printf("%ld ", out[i]);
  }
  return 0;
}
