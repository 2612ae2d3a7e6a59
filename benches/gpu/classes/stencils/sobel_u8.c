/* The magnitude of a picture's gradient; bytes in and out.
size check m=67 n=75
size main m=16384 n=16384
size odd m=7001 n=9003
size small m=128 n=128
inout b
bytes 2*m*n
*/
#include <math.h>

void kernel(int m, int n, const unsigned char a[restrict m][n], unsigned char b[restrict m][n]) {
  //@ nest 2
  for (int i = 1; i < m - 1; i++)
    //@ inner
    for (int j = 1; j < n - 1; j++) {
      int x = a[i - 1][j + 1] + 2 * a[i][j + 1] + a[i + 1][j + 1] - a[i - 1][j - 1] - 2 * a[i][j - 1] - a[i + 1][j - 1];
      int y = a[i + 1][j - 1] + 2 * a[i + 1][j] + a[i + 1][j + 1] - a[i - 1][j - 1] - 2 * a[i - 1][j] - a[i - 1][j + 1];
      int g = (x < 0 ? -x : x) + (y < 0 ? -y : y);
      b[i][j] = g > 255 ? 255 : g;
    }
}
