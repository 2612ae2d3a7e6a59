/* Sums along the middle axis of a 3-D array.
size check l=7 m=31 n=23
size main l=256 m=512 n=512
size odd l=77 m=1001 n=301
size deep l=3 m=1<<20 n=20
out s
sums
*/
void kernel(int l, int m, int n, const float a[restrict l][m][n], float s[restrict l][n]) {
  //@ nest 2
  for (int i = 0; i < l; i++)
    //@ inner
    for (int k = 0; k < n; k++) {
      float sum = 0;
      for (int j = 0; j < m; j++) sum += a[i][j][k];
      s[i][k] = sum;
    }
}
