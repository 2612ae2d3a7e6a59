/* A sparse matrix with as many numbers in each row, stored column by column, times a vector.
size check n=400 w=9
size main n=1<<21 w=16
size odd n=1000003 w=7
fill col nearc:n:1000
out y
sums
bytes 12*n*w + 16*n
*/
void kernel(int n, int w, const int col[restrict w][n], const double val[restrict w][n], const double x[restrict n],
            double y[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < w; k++) s += val[k][i] * x[col[k][i]];
    y[i] = s;
  }
}
