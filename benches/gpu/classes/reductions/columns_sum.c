/* The sum of each column of a matrix of f64, added up row by row.
size check m=37 n=130
size main m=8192 n=4096
size narrow m=1<<23 n=5
size odd m=4999 n=3001
inout s
sums
bytes 8*m*n + 16*n
*/
void kernel(int m, int n, const double a[restrict m][n], double s[restrict n]) {
  //@ nest 1
  for (int j = 0; j < n; j++) s[j] = 0;
  //@ kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) s[j] += a[i][j];
}
