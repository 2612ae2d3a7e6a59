/* Sums along the middle axis of a 3-D array of f64.
size check l=7 m=31 n=23
size main l=128 m=512 n=512
size odd l=61 m=777 n=301
out b
sums
*/
void kernel(int l, int m, int n, const double a[restrict l][m][n], double b[restrict l][m][n]) {
  //@ nest 2
  for (int i = 0; i < l; i++)
    //@ inner
    for (int k = 0; k < n; k++) {
      double s = 0;
      for (int j = 0; j < m; j++) {
        s += a[i][j][k];
        b[i][j][k] = s;
      }
    }
}
