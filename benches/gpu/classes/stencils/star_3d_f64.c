/* Seven points in three dimensions; f64.
size check l=17 m=23 n=29
size main l=512 m=512 n=512
size odd l=203 m=301 n=405
size small l=32 m=32 n=32
inout b
bytes 8*(2*l*m*n)
*/
void kernel(int l, int m, int n, const double a[restrict l][m][n], double b[restrict l][m][n]) {
  //@ nest 3
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      //@ inner
      for (int k = 1; k < n - 1; k++)
        b[i][j][k] = 0.4 * a[i][j][k] + 0.1 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] +
                                               a[i][j][k - 1] + a[i][j][k + 1]);
}
