/* A table of sums over all rectangles from the corner: along rows, then down columns.
size check m=37 n=53
size main m=8192 n=8192
size odd m=4999 n=3001
out b
sums
*/
void kernel(int m, int n, const float a[restrict m][n], float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float s = 0;
    for (int j = 0; j < n; j++) {
      s += a[i][j];
      b[i][j] = s;
    }
  }
  //@ nest 1
  for (int j = 0; j < n; j++)
    for (int i = 1; i < m; i++) b[i][j] += b[i - 1][j];
}
