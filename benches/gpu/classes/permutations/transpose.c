/* The transpose of a matrix.
size check m=37 n=53
size main m=8192 n=8192
size odd m=8191 n=4099
size thin m=3 n=1<<23
size flat m=1<<22 n=12
size small m=64 n=96
out b
*/
void kernel(int m, int n, const float a[restrict m][n], float b[restrict n][m]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) b[j][i] = a[i][j];
}
