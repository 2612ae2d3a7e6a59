/* Counts that begin anew where the key differs from the one before; integers.
size check n=5003
size main n=1<<26
size odd n=30000001
fill key sorted:n/64
out b
*/
void kernel(int n, const int key[restrict n], const int a[restrict n], int b[restrict n]) {
  int s = 0;
  //@ kernels
  for (int i = 0; i < n; i++) {
    s = i > 0 && key[i] == key[i - 1] ? s + a[i] : a[i];
    b[i] = s;
  }
}
