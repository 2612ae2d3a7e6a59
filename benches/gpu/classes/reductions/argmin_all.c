/* The least number of an array of f64 and where it is first.
size check n=5003
size main n=1<<27
size odd n=30000001
size small n=2000
out best at
host best at
*/
void kernel(int n, const double x[restrict n], double best[restrict 1], int at[restrict 1]) {
  double least = x[0];
  int place = 0;
  //@ kernels
  for (int i = 1; i < n; i++)
    if (x[i] < least) {
      least = x[i];
      place = i;
    }
  best[0] = least;
  at[0] = place;
}
