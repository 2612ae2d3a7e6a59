/* Sums that begin anew where a flag is set.
size check n=5003
size main n=1<<26
size odd n=30000001
size long n=1<<26 flag~flags:1000000
fill flag flags:40
out b
sums
*/
void kernel(int n, const float a[restrict n], const int flag[restrict n], float b[restrict n]) {
  float s = 0;
  //@ kernels
  for (int i = 0; i < n; i++) {
    if (flag[i]) s = 0;
    s += a[i];
    b[i] = s;
  }
}
