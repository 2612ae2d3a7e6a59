/* A bias for each column, GELU in its form with tanh, and the sum with what came in.
size check m=37 n=130
size main m=16384 n=4096
size odd m=5003 n=3001
size small m=32 n=256
out z
*/
#include <math.h>

void kernel(int m, int n, const float x[restrict m][n], const float y[restrict m][n], const float bias[restrict n],
            float z[restrict m][n]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) {
      float v = y[i][j] + bias[j];
      float t = tanhf(0.7978845608f * (v + 0.044715f * v * v * v));
      z[i][j] = x[i][j] + 0.5f * v * (1 + t);
    }
}
