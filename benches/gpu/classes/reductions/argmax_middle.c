/* Where along the middle axis of a 3-D array of f64 the greatest number is.
size check l=5 m=31 n=23
size main l=64 m=512 n=512
size odd l=33 m=301 n=999
size deep l=2 m=1<<19 n=24
out at
*/
void kernel(int l, int m, int n, const double a[restrict l][m][n], int at[restrict l][n]) {
  //@ nest 2
  for (int i = 0; i < l; i++)
    //@ inner
    for (int k = 0; k < n; k++) {
      int best = 0;
      for (int j = 1; j < m; j++)
        if (a[i][j][k] > a[i][best][k]) best = j;
      at[i][k] = best;
    }
}
