/* Accelerations of 1024 bodies from all others.
size check n=100
size small n=1024
out ax ay az
sums
bytes 4*(7*n)
*/
#include <math.h>

void kernel(int n, const float x[restrict n], const float y[restrict n], const float z[restrict n], const float mass[restrict n],
            float ax[restrict n], float ay[restrict n], float az[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    float sx = 0, sy = 0, sz = 0;
    //@ inner reduction(+:sx,sy,sz)
    for (int j = 0; j < n; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float d = dx * dx + dy * dy + dz * dz + 0.001f;
      float w = mass[j] / (d * sqrtf(d));
      sx += w * dx;
      sy += w * dy;
      sz += w * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}
