/* All 27 points in three dimensions, weighted by how far they are.
size check l=17 m=23 n=29
size main l=512 m=512 n=512
size odd l=301 m=203 n=405
inout b
bytes 4*(2*l*m*n)
sums
*/
void kernel(int l, int m, int n, const float w[restrict 4], const float a[restrict l][m][n], float b[restrict l][m][n]) {
  //@ nest 3
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      //@ inner
      for (int k = 1; k < n - 1; k++) {
        float s = 0;
        for (int p = -1; p <= 1; p++)
          for (int q = -1; q <= 1; q++)
            for (int r = -1; r <= 1; r++) s += w[p * p + q * q + r * r] * a[i + p][j + q][k + r];
        b[i][j][k] = s;
      }
}
