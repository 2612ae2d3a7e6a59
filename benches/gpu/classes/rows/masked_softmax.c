/* Softmax of the first so many numbers of each row, zeros behind.
size check m=13 n=130
size main m=16384 n=2048
size odd m=10007 n=1535
fill length below:n
out b
sums
bytes 4*m + 4*m*n + 2*m*n
*/
#include <math.h>

void kernel(int m, int n, const float a[restrict m][n], const int length[restrict m], float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    int count = length[i];
    float top = -1e30f, sum = 0;
    //@ inner reduction(max:top)
    for (int j = 0; j < count; j++) top = fmaxf(top, a[i][j]);
    //@ inner reduction(+:sum)
    for (int j = 0; j < count; j++) sum += expf(a[i][j] - top);
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = j < count ? expf(a[i][j] - top) / sum : 0;
  }
}
