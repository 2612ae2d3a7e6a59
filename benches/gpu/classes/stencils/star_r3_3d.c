/* A star of radius 3 in three dimensions, the arms as loops.
size check l=17 m=23 n=29
size main l=512 m=512 n=512
size odd l=199 m=307 n=401
inout b
bytes 4*(2*l*m*n)
sums
*/
void kernel(int l, int m, int n, const float w[restrict 4], const float a[restrict l][m][n], float b[restrict l][m][n]) {
  //@ nest 3
  for (int i = 3; i < l - 3; i++)
    for (int j = 3; j < m - 3; j++)
      //@ inner
      for (int k = 3; k < n - 3; k++) {
        float s = w[0] * a[i][j][k];
        for (int r = 1; r <= 3; r++) {
          s += w[r] * (a[i - r][j][k] + a[i + r][j][k]);
          s += w[r] * (a[i][j - r][k] + a[i][j + r][k]);
          s += w[r] * (a[i][j][k - r] + a[i][j][k + r]);
        }
        b[i][j][k] = s;
      }
}
