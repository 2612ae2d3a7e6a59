/* The areas of a mesh's triangles, whose corners are numbers of points.
size check n=300 t=500
size main n=1<<20 t=1<<24
size odd n=500009 t=3000017
fill corner near:n:500
out area
bytes 12*t + 8*n + 4*t
*/
#include <math.h>

void kernel(int n, int t, const int corner[restrict t][3], const float x[restrict n], const float y[restrict n],
            float area[restrict t]) {
  //@ nest 1
  for (int i = 0; i < t; i++) {
    int a = corner[i][0], b = corner[i][1], c = corner[i][2];
    area[i] = 0.5f * fabsf((x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a]));
  }
}
