/* A product of matrices of 1024 by 1024.
size check m=65 n=67 k=70
size small m=1024 n=1024 k=1024
out c
sums
bytes 4*(m*n + m*k + k*n)
*/
void kernel(int m, int n, int k, const float a[restrict m][k], const float b[restrict k][n], float c[restrict m][n]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int l = 0; l < k; l++) s += a[i][l] * b[l][j];
      c[i][j] = s;
    }
}
