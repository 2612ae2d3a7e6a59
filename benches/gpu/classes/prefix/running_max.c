/* The greatest number up to each.
size check n=5003
size main n=1<<27
size odd n=50000017
out b
*/
#include <math.h>

void kernel(int n, const float a[restrict n], float b[restrict n]) {
  float s = a[0];
  //@ kernels
  for (int i = 0; i < n; i++) {
    s = fmaxf(s, a[i]);
    b[i] = s;
  }
}
