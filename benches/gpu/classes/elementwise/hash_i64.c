/* Two rounds of mixing of 64-bit numbers with a key array, each a loop of its own.
size check n=3001
size main n=1<<25
size odd n=10000019
out h
inout x
*/
#include <math.h>

void kernel(int n, long x[restrict n], const long key[restrict n], long h[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) x[i] = (x[i] ^ (key[i] << 7)) + 40503;
  //@ nest 1
  for (int i = 0; i < n; i++) h[i] = (x[i] ^ (x[i] >> 3)) & 65535;
}
