/* Softmax of each row.
size check m=13 n=130
size main m=8192 n=4096
size short m=1<<20 n=32
size long m=64 n=1000000
size odd m=20011 n=1021
size small m=32 n=256
out b
sums
bytes_long 4*(3*m*n)
*/
#include <math.h>

void kernel(int m, int n, const float a[restrict m][n], float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float top = a[i][0];
    //@ inner reduction(max:top)
    for (int j = 1; j < n; j++) top = fmaxf(top, a[i][j]);
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) {
      b[i][j] = expf(a[i][j] - top);
      sum += b[i][j];
    }
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] /= sum;
  }
}
