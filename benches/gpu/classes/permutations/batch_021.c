/* The transposes of many matrices.
size check l=5 m=17 n=23
size main l=64 m=1024 n=1024
size odd l=1001 m=127 n=255
size tiny l=1<<20 m=8 n=8
out b
*/
void kernel(int l, int m, int n, const float a[restrict l][m][n], float b[restrict l][n][m]) {
  //@ nest 3
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      //@ inner
      for (int k = 0; k < n; k++) b[i][k][j] = a[i][j][k];
}
