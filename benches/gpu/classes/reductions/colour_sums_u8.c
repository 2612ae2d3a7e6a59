/* The sums of the three colours of a picture of bytes, as 64-bit integers.
size check n=5003
size main n=1<<27
size odd n=33333331
out s
host s
*/
void kernel(int n, const unsigned char x[restrict n][3], long s[restrict 3]) {
  long r = 0, g = 0, b = 0;
  //@ nest 1 reduction(+:r,g,b)
  for (int i = 0; i < n; i++) {
    r += x[i][0];
    g += x[i][1];
    b += x[i][2];
  }
  s[0] = r;
  s[1] = g;
  s[2] = b;
}
