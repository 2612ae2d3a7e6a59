/* The axes of a 3-D array in the opposite order; f64.
size check l=5 m=17 n=23
size main l=256 m=512 n=256
size odd l=301 m=207 n=333
out b
*/
void kernel(int l, int m, int n, const double a[restrict l][m][n], double b[restrict n][m][l]) {
  //@ nest 3
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      //@ inner
      for (int k = 0; k < l; k++) b[i][j][k] = a[k][j][i];
}
