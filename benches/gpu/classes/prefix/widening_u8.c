/* Sums of bytes up to each, as 64-bit integers.
size check n=5003
size main n=1<<26
size odd n=30000001
out b
*/
void kernel(int n, const unsigned char a[restrict n], long b[restrict n]) {
  long s = 0;
  //@ kernels
  for (int i = 0; i < n; i++) {
    s += a[i];
    b[i] = s;
  }
}
