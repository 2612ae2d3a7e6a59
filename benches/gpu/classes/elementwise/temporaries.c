/* Smoothed difference of two signals by way of two temporary arrays, which nobody sees afterwards.
size check n=5003
size main n=1<<26
size odd n=16777259
out y
temp t[0:n] u[0:n]
*/
#include <math.h>
#include <stdlib.h>

void kernel(int n, const float a[restrict n], const float b[restrict n], float y[restrict n]) {
  float *restrict t = malloc(n * sizeof(float));
  float *restrict u = malloc(n * sizeof(float));
  //@ data
  //@ nest 1
  for (int i = 0; i < n; i++) t[i] = a[i] - b[i];
  //@ nest 1
  for (int i = 0; i < n; i++) u[i] = t[i] * t[i] + 0.01f;
  //@ nest 1
  for (int i = 0; i < n; i++) y[i] = t[i] / sqrtf(u[i]);
  //@ end
  free(t);
  free(u);
}
