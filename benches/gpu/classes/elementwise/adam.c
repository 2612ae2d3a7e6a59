/* A step of the optimizer Adam: three arrays are updated in place.
size check n=5003
size main n=1<<26
size odd n=16777259
inout p m v
*/
#include <math.h>

void kernel(int n, const float g[restrict n], float p[restrict n], float m[restrict n], float v[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) m[i] = 0.9f * m[i] + 0.1f * g[i];
  //@ nest 1
  for (int i = 0; i < n; i++) v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
  //@ nest 1
  for (int i = 0; i < n; i++) p[i] -= 0.001f * m[i] / (sqrtf(v[i]) + 1e-8f);
}
