/* A step of the lattice Boltzmann method D3Q19, with its directions and weights in tables.
size check l=9 m=11 n=13
size main l=192 m=192 n=192
size odd l=101 m=203 n=155
inout g
bytes 4*(38*l*m*n)
sums
*/
static const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const float w[19] = {1.0f / 3, 1.0f / 18, 1.0f / 18, 1.0f / 18, 1.0f / 18, 1.0f / 18, 1.0f / 18, 1.0f / 36, 1.0f / 36, 1.0f / 36,
                            1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

void kernel(int l, int m, int n, const float f[restrict 19][l][m][n], float g[restrict 19][l][m][n]) {
  //@ nest 3
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      //@ inner
      for (int k = 1; k < n - 1; k++) {
        float in[19], rho = 0, ux = 0, uy = 0, uz = 0;
        for (int q = 0; q < 19; q++) {
          in[q] = f[q][i - cz[q]][j - cy[q]][k - cx[q]];
          rho += in[q];
          ux += cx[q] * in[q];
          uy += cy[q] * in[q];
          uz += cz[q] * in[q];
        }
        ux /= rho;
        uy /= rho;
        uz /= rho;
        float uu = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
        for (int q = 0; q < 19; q++) {
          float t = cx[q] * ux + cy[q] * uy + cz[q] * uz;
          g[q][i][j][k] = 0.4f * in[q] + 0.6f * rho * w[q] * (uu + 3 * t + 4.5f * t * t);
        }
      }
}
