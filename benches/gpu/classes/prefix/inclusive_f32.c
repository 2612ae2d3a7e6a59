/* The sums of all elements up to each.
size check n=5003
size main n=1<<27
size odd n=50000017
size small n=8192
out b
sums
*/
void kernel(int n, const float a[restrict n], float b[restrict n]) {
  float s = 0;
  //@ kernels
  for (int i = 0; i < n; i++) {
    s += a[i];
    b[i] = s;
  }
}
