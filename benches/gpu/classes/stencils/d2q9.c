/* A step of the lattice Boltzmann method D2Q9: what flows in is pulled, and relaxes.
size check m=33 n=41
size main m=4096 n=4096
size odd m=2001 n=3003
inout g
bytes 4*(18*m*n)
*/
void kernel(int m, int n, const float f[restrict 9][m][n], float g[restrict 9][m][n]) {
  //@ nest 2
  for (int i = 1; i < m - 1; i++)
    //@ inner
    for (int j = 1; j < n - 1; j++) {
      float f0 = f[0][i][j], f1 = f[1][i][j - 1], f2 = f[2][i - 1][j], f3 = f[3][i][j + 1], f4 = f[4][i + 1][j];
      float f5 = f[5][i - 1][j - 1], f6 = f[6][i - 1][j + 1], f7 = f[7][i + 1][j + 1], f8 = f[8][i + 1][j - 1];
      float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
      float ux = (f1 - f3 + f5 - f6 - f7 + f8) / rho;
      float uy = (f2 - f4 + f5 + f6 - f7 - f8) / rho;
      float uu = 1 - 1.5f * (ux * ux + uy * uy);
      float p = ux + uy, q = uy - ux, omega = 0.6f;
      float a = omega * rho * (4.0f / 9), b = omega * rho * (1.0f / 9), c = omega * rho * (1.0f / 36), keep = 1 - omega;
      g[0][i][j] = keep * f0 + a * uu;
      g[1][i][j] = keep * f1 + b * (uu + 3 * ux + 4.5f * ux * ux);
      g[2][i][j] = keep * f2 + b * (uu + 3 * uy + 4.5f * uy * uy);
      g[3][i][j] = keep * f3 + b * (uu - 3 * ux + 4.5f * ux * ux);
      g[4][i][j] = keep * f4 + b * (uu - 3 * uy + 4.5f * uy * uy);
      g[5][i][j] = keep * f5 + c * (uu + 3 * p + 4.5f * p * p);
      g[6][i][j] = keep * f6 + c * (uu + 3 * q + 4.5f * q * q);
      g[7][i][j] = keep * f7 + c * (uu - 3 * p + 4.5f * p * p);
      g[8][i][j] = keep * f8 + c * (uu - 3 * q + 4.5f * q * q);
    }
}
