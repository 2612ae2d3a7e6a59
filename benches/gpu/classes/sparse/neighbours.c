/* Forces on particles from those on a list of their neighbours.
size check n=500 k=12
size main n=1<<19 k=64
size odd n=200003 k=37
size small n=1000 k=16
fill list near:n:400
out force
sums
bytes 4*n*k + 24*n
*/
#include <math.h>

void kernel(int n, int k, const int list[restrict n][k], const float pos[restrict n][3], float force[restrict n][3]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    float x = pos[i][0], y = pos[i][1], z = pos[i][2];
    float fx = 0, fy = 0, fz = 0;
    for (int q = 0; q < k; q++) {
      int j = list[i][q];
      float dx = pos[j][0] - x, dy = pos[j][1] - y, dz = pos[j][2] - z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float w = 1 / (r2 * sqrtf(r2));
      fx += w * dx;
      fy += w * dy;
      fz += w * dz;
    }
    force[i][0] = fx;
    force[i][1] = fy;
    force[i][2] = fz;
  }
}
