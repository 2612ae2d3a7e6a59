/* Three fields of electromagnetism, in place: two from one, then that from the two; f64.
size check m=67 n=75
size main m=8192 n=8192
size odd m=4001 n=5003
inout hx hy ez
bytes 8*(6*m*n)
*/
void kernel(int m, int n, double hx[restrict m][n], double hy[restrict m][n], double ez[restrict m][n]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n - 1; j++) hx[i][j] -= 0.5 * (ez[i][j + 1] - ez[i][j]);
  //@ nest 2
  for (int i = 0; i < m - 1; i++)
    //@ inner
    for (int j = 0; j < n; j++) hy[i][j] += 0.5 * (ez[i + 1][j] - ez[i][j]);
  //@ nest 2
  for (int i = 1; i < m; i++)
    //@ inner
    for (int j = 1; j < n; j++) ez[i][j] += 0.7 * (hy[i][j] - hy[i - 1][j] - hx[i][j] + hx[i][j - 1]);
}
