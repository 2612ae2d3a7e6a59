/* Least and greatest integer along the last axis of a 3-D array.
size check l=7 m=13 n=67
size main l=256 m=1024 n=512
size short l=4096 m=4096 n=5
size odd l=77 m=203 n=1999
out low high
*/
void kernel(int l, int m, int n, const int a[restrict l][m][n], int low[restrict l][m], int high[restrict l][m]) {
  //@ nest 2
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++) {
      int least = a[i][j][0], most = a[i][j][0];
      //@ inner reduction(min:least) reduction(max:most)
      for (int k = 1; k < n; k++) {
        if (a[i][j][k] < least) least = a[i][j][k];
        if (a[i][j][k] > most) most = a[i][j][k];
      }
      low[i][j] = least;
      high[i][j] = most;
    }
}
