/* All 25 points of radius 2 in two dimensions, with weights from an array.
size check m=67 n=75
size main m=8192 n=8192
size odd m=4999 n=6007
inout b
bytes 4*(2*m*n)
sums
*/
void kernel(int m, int n, const float w[restrict 5][5], const float a[restrict m][n], float b[restrict m][n]) {
  //@ nest 2
  for (int i = 2; i < m - 2; i++)
    //@ inner
    for (int j = 2; j < n - 2; j++) {
      float s = 0;
      for (int p = 0; p < 5; p++)
        for (int q = 0; q < 5; q++) s += w[p][q] * a[i + p - 2][j + q - 2];
      b[i][j] = s;
    }
}
