/* The sum of an array.
size check n=5003
size main n=1<<28
size odd n=100000007
size small n=10000
out s
host s
sums
*/
void kernel(int n, const float x[restrict n], float s[restrict 1]) {
  float sum = 0;
  //@ nest 1 reduction(+:sum)
  for (int i = 0; i < n; i++) sum += x[i];
  s[0] = sum;
}
