/* Sums down each column of a matrix, row by row.
size check m=67 n=45
size main m=8192 n=8192
size narrow m=1<<21 n=16
size odd m=3001 n=4999
inout a
sums
*/
void kernel(int m, int n, float a[restrict m][n]) {
  //@ nest 1
  for (int j = 0; j < n; j++)
    for (int i = 1; i < m; i++) a[i][j] += a[i - 1][j];
}
