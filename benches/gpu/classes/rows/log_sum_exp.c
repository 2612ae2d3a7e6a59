/* The logarithm of the sum of the exponentials of each row.
size check m=13 n=130
size main m=4096 n=16384
size short m=1<<20 n=50
size long m=32 n=1000003
size odd m=20011 n=1021
out s
sums
bytes_long 4*(2*m*n)
*/
#include <math.h>

void kernel(int m, int n, const float a[restrict m][n], float s[restrict m]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float top = a[i][0];
    //@ inner reduction(max:top)
    for (int j = 1; j < n; j++) top = fmaxf(top, a[i][j]);
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) sum += expf(a[i][j] - top);
    s[i] = top + logf(sum);
  }
}
