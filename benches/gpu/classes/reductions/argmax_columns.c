/* In which row of each column the greatest element is.
size check m=67 n=45
size main m=8192 n=8192
size narrow m=1<<22 n=9
size odd m=2999 n=5003
out at
*/
void kernel(int m, int n, const float a[restrict m][n], int at[restrict n]) {
  //@ nest 1
  for (int j = 0; j < n; j++) {
    float top = a[0][j];
    int row = 0;
    for (int i = 1; i < m; i++)
      if (a[i][j] > top) {
        top = a[i][j];
        row = i;
      }
    at[j] = row;
  }
}
