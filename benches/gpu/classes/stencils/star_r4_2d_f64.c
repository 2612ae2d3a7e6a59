/* A star of radius 4 in two dimensions; f64.
size check m=67 n=75
size main m=8192 n=8192
size odd m=5003 n=3001
inout b
bytes 8*(2*m*n)
sums
*/
void kernel(int m, int n, const double a[restrict m][n], double b[restrict m][n]) {
  static const double c[5] = {-2.847222, 1.6, -0.2, 0.02539683, -0.001785714};
  //@ data
  //@ nest 2
  for (int i = 4; i < m - 4; i++)
    //@ inner
    for (int j = 4; j < n - 4; j++) {
      double s = 2 * c[0] * a[i][j];
      for (int r = 1; r <= 4; r++) s += c[r] * (a[i - r][j] + a[i + r][j] + a[i][j - r] + a[i][j + r]);
      b[i][j] = s;
    }
  //@ end
}
