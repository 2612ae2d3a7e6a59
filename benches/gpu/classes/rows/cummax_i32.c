/* The greatest integer so far of each row.
size check m=13 n=130
size main m=4096 n=8192
size odd m=7001 n=1999
out b
*/
void kernel(int m, int n, const int a[restrict m][n], int b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    int top = a[i][0];
    for (int j = 0; j < n; j++) {
      if (a[i][j] > top) top = a[i][j];
      b[i][j] = top;
    }
  }
}
