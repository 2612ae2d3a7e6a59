/* The inner product of two arrays of f64.
size check n=5003
size main n=1<<26
size odd n=20000003
out s
host s
sums
*/
void kernel(int n, const double x[restrict n], const double y[restrict n], double s[restrict 1]) {
  double sum = 0;
  //@ nest 1 reduction(+:sum)
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  s[0] = sum;
}
