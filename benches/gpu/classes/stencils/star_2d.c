/* Five points in two dimensions.
size check m=67 n=75
size main m=16384 n=16384
size odd m=5003 n=7001
size small m=256 n=256
inout b
bytes 4*(2*m*n)
*/
void kernel(int m, int n, const float a[restrict m][n], float b[restrict m][n]) {
  //@ nest 2
  for (int i = 1; i < m - 1; i++)
    //@ inner
    for (int j = 1; j < n - 1; j++) b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
