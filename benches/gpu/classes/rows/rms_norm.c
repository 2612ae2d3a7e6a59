/* Each row divided by the root of the mean of its squares.
size check m=13 n=130
size main m=16384 n=4096
size wide m=2048 n=16384
size odd m=5003 n=5119
out b
sums
*/
#include <math.h>

void kernel(int m, int n, const float a[restrict m][n], const float w[restrict n], float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float square = 0;
    //@ inner reduction(+:square)
    for (int j = 0; j < n; j++) square += a[i][j] * a[i][j];
    float scale = 1 / sqrtf(square / n + 1e-6f);
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = a[i][j] * scale * w[j];
  }
}
