/* The histogram of a picture of bytes.
size check m=37 n=53
size main m=16384 n=16384
size odd m=9001 n=7003
size one m=8192 n=8192 a~always:200
fill h zeros
inout h
*/
void kernel(int m, int n, const unsigned char a[restrict m][n], int h[restrict 256]) {
  //@ nest 2
  for (int i = 0; i < m; i++)
    //@ inner
    for (int j = 0; j < n; j++) {
      //@ atomic
      h[a[i][j]]++;
    }
}
