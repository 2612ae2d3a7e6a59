/* Half a sweep of red-black relaxation in place: every second cell of each row; all sectors are read and written.
size check m=67 n=75
size main m=8192 n=8192
size odd m=5001 n=4003
inout u
bytes 8*(3*m*n)
*/
void kernel(int m, int n, const double f[restrict m][n], double u[restrict m][n]) {
  //@ nest 1
  for (int i = 1; i < m - 1; i++)
    //@ inner
    for (int j = 1 + i % 2; j < n - 1; j += 2)
      u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}
