/* Rows and columns of smaller arrays are combined into each element of a 3-D one.
size check l=11 m=17 n=23
size main l=512 m=512 n=256
size odd l=301 m=211 n=127
size thin l=1<<20 m=8 n=5
out c
*/
#include <math.h>

void kernel(int l, int m, int n, const float a[restrict l][n], const float b[restrict m][n], const float s[restrict l][m],
            float c[restrict l][m][n]) {
  //@ nest 3
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      //@ inner
      for (int k = 0; k < n; k++) c[i][j][k] = s[i][j] * (a[i][k] + b[j][k]);
}
