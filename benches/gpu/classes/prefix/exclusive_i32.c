/* Where each part begins when the parts' lengths are given.
size check n=5003
size main n=1<<27
size odd n=50000017
size small n=5000
out b
*/
void kernel(int n, const int a[restrict n], int b[restrict n]) {
  int s = 0;
  //@ kernels
  for (int i = 0; i < n; i++) {
    b[i] = s;
    s += a[i];
  }
}
