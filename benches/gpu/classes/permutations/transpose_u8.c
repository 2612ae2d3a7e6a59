/* The transpose of a picture of bytes.
size check m=37 n=53
size main m=16384 n=16384
size odd m=12001 n=9001
out b
*/
void kernel(int m, int n, const unsigned char a[restrict m][n], unsigned char b[restrict n][m]) {
  //@ nest 2
  for (int i = 0; i < n; i++)
    //@ inner
    for (int j = 0; j < m; j++) b[i][j] = a[j][i];
}
