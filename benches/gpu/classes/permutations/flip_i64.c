/* A matrix turned by half a turn; 64-bit integers.
size check m=37 n=53
size main m=8192 n=4096
size odd m=4999 n=3001
out b
*/
void kernel(int m, int n, const long a[restrict m][n], long b[restrict m][n]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = a[m - 1 - i][n - 1 - j];
}
