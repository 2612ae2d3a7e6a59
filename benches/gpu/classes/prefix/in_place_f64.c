/* Sums up to each element in the array itself, as written with the element before.
size check n=5003
size main n=1<<26
size odd n=20000003
inout a
sums
*/
void kernel(int n, double a[restrict n]) {
  //@ kernels
  for (int i = 1; i < n; i++) a[i] += a[i - 1];
}
