/* Where a 3-D field of integers is over a level, a label; then the level's excess; conditions.
size check l=11 m=17 n=23
size main l=256 m=512 n=512
size odd l=123 m=321 n=457
out label excess
*/
#include <math.h>

void kernel(int l, int m, int n, const int a[restrict l][m][n], const int level[restrict m][n], int label[restrict l][m][n],
            int excess[restrict l][m][n]) {
  //@ nest 3
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      //@ inner
      for (int k = 0; k < n; k++) label[i][j][k] = a[i][j][k] > level[j][k] ? i + 1 : 0;
  //@ nest 3
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      //@ inner
      for (int k = 0; k < n; k++) {
        if (label[i][j][k] > 0)
          excess[i][j][k] = a[i][j][k] - level[j][k];
        else
          excess[i][j][k] = 0;
      }
}
