/* Every second row and every third column of a matrix; what of it is in the same sectors is read as well.
size check m=17 n=23
size main m=4096 n=8192
size odd m=3001 n=3331
out b
bytes 4*m*n + 4*m*3*n
*/
void kernel(int m, int n, const float a[restrict 2 * m][3 * n], float b[restrict m][n]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = a[2 * i][3 * j];
}
