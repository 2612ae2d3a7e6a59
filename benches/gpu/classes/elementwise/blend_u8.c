/* Two pictures of three colours are laid over each other by a mask; bytes.
size check m=37 n=53
size main m=8192 n=8192
size odd m=4999 n=6001
size small m=64 n=64
out c
*/
#include <math.h>

void kernel(int m, int n, const unsigned char a[restrict m][n][3], const unsigned char b[restrict m][n][3],
            const unsigned char mask[restrict m][n], unsigned char c[restrict m][n][3]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) {
      int w = mask[i][j];
      for (int k = 0; k < 3; k++)
        c[i][j][k] = (unsigned char)((a[i][j][k] * w + b[i][j][k] * (255 - w) + 127) / 255);
    }
}
