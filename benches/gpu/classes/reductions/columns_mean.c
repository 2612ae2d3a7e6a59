/* The mean of each column of a matrix, a column at a time.
size check m=37 n=130
size main m=8192 n=8192
size narrow m=1<<22 n=12
size odd m=4999 n=3001
size small m=256 n=64
out s
sums
*/
void kernel(int m, int n, const float a[restrict m][n], float s[restrict n]) {
  //@ nest 1
  for (int j = 0; j < n; j++) {
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int i = 0; i < m; i++) sum += a[i][j];
    s[j] = sum / m;
  }
}
