/* Four loops, each of which uses what those before it made; all results are kept.
size check n=5003
size main n=1<<26
size odd n=16777259
size small n=4096
out b c d e
*/
#include <math.h>

void kernel(int n, const float a[restrict n], float b[restrict n], float c[restrict n], float d[restrict n], float e[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) b[i] = 2 * a[i] + 1;
  //@ nest 1
  for (int i = 0; i < n; i++) c[i] = b[i] * b[i];
  //@ nest 1
  for (int i = 0; i < n; i++) d[i] = c[i] - a[i];
  //@ nest 1
  for (int i = 0; i < n; i++) e[i] = d[i] / (c[i] + 1);
}
