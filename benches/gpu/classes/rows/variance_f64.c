/* Mean and variance of each row of f64, in two passes.
size check m=13 n=130
size main m=4096 n=8192
size long m=20 n=1000000
size odd m=3001 n=4999
out mean var
sums
bytes_long 8*(2*m*n)
*/
void kernel(int m, int n, const double a[restrict m][n], double mean[restrict m], double var[restrict m]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    double sum = 0, square = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) sum += a[i][j];
    double middle = sum / n;
    //@ inner reduction(+:square)
    for (int j = 0; j < n; j++) square += (a[i][j] - middle) * (a[i][j] - middle);
    mean[i] = middle;
    var[i] = square / (n - 1);
  }
}
