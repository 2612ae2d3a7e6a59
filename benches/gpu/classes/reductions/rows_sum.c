/* The sum of each row of a matrix.
size check m=37 n=130
size main m=8192 n=8192
size short m=1<<22 n=16
size long m=7 n=10000019
size odd m=3001 n=4999
size small m=64 n=256
out s
sums
*/
void kernel(int m, int n, const float a[restrict m][n], float s[restrict m]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) sum += a[i][j];
    s[i] = sum;
  }
}
