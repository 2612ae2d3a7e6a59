/* The greatest number of each row and its column.
size check m=13 n=130
size main m=8192 n=8192
size short m=1<<20 n=40
size long m=40 n=1000000
size small m=32 n=1000
out value at
*/
void kernel(int m, int n, const float a[restrict m][n], float value[restrict m], int at[restrict m]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float top = a[i][0];
    int place = 0;
    for (int j = 1; j < n; j++)
      if (a[i][j] > top) {
        top = a[i][j];
        place = j;
      }
    value[i] = top;
    at[i] = place;
  }
}
