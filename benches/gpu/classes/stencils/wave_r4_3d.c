/* A step of the wave equation, of eighth order in space, with a speed for each cell.
size check l=19 m=23 n=29
size main l=512 m=512 n=512
size odd l=211 m=305 n=403
inout u
bytes 4*(4*l*m*n)
*/
void kernel(int l, int m, int n, const float v[restrict l][m][n], const float p[restrict l][m][n], float u[restrict l][m][n]) {
  //@ nest 3
  for (int i = 4; i < l - 4; i++)
    for (int j = 4; j < m - 4; j++)
      //@ inner
      for (int k = 4; k < n - 4; k++) {
        float s = -8.541667f * p[i][j][k];
        s += 1.6f * (p[i - 1][j][k] + p[i + 1][j][k] + p[i][j - 1][k] + p[i][j + 1][k] + p[i][j][k - 1] + p[i][j][k + 1]);
        s -= 0.2f * (p[i - 2][j][k] + p[i + 2][j][k] + p[i][j - 2][k] + p[i][j + 2][k] + p[i][j][k - 2] + p[i][j][k + 2]);
        s += 0.025397f * (p[i - 3][j][k] + p[i + 3][j][k] + p[i][j - 3][k] + p[i][j + 3][k] + p[i][j][k - 3] + p[i][j][k + 3]);
        s -= 0.001786f * (p[i - 4][j][k] + p[i + 4][j][k] + p[i][j - 4][k] + p[i][j + 4][k] + p[i][j][k - 4] + p[i][j][k + 4]);
        u[i][j][k] = 2 * p[i][j][k] - u[i][j][k] + v[i][j][k] * s;
      }
}
