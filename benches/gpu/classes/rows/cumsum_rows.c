/* Cumulative sums of each row.
size check m=13 n=130
size main m=8192 n=4096
size short m=1<<20 n=32
size long m=32 n=1000000
size odd m=5003 n=3001
size small m=32 n=512
out b
sums
*/
void kernel(int m, int n, const float a[restrict m][n], float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++) {
      sum += a[i][j];
      b[i][j] = sum;
    }
  }
}
