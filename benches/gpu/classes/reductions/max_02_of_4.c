/* The greatest number over the first and third axis of a 4-D array.
size check e=3 f=5 g=7 h=11
size main e=64 f=128 g=64 h=128
size odd e=17 f=99 g=131 h=133
size wide e=512 f=8 g=512 h=32
out top
*/
#include <math.h>

void kernel(int e, int f, int g, int h, const float a[restrict e][f][g][h], float top[restrict f][h]) {
  //@ nest 2
  for (int q = 0; q < f; q++)
    //@ inner
    for (int s = 0; s < h; s++) {
      float t = a[0][q][0][s];
      for (int p = 0; p < e; p++)
        for (int r = 0; r < g; r++) t = fmaxf(t, a[p][q][r][s]);
      top[q][s] = t;
    }
}
