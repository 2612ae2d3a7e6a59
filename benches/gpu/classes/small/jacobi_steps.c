/* Fifty steps of a five-point mean on a small grid, there and back.
size check m=33 n=35
size small m=256 n=256
inout a b
bytes 50*4*(4*m*n)
*/
void kernel(int m, int n, float a[restrict m][n], float b[restrict m][n]) {
  for (int t = 0; t < 50; t++) {
    //@ nest 2
    for (int i = 1; i < m - 1; i++)
      //@ inner
      for (int j = 1; j < n - 1; j++) b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    //@ nest 2
    for (int i = 1; i < m - 1; i++)
      //@ inner
      for (int j = 1; j < n - 1; j++) a[i][j] = 0.2f * (b[i][j] + b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
  }
}
