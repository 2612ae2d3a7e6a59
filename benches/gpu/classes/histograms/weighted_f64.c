/* A histogram with weights of f64.
size check n=5003 bins=300
size main n=1<<25 bins=1024
size odd n=10000019 bins=77
size skewed n=1<<25 bins=100000 at~skew:bins
fill at below:bins
fill y zeros
inout y
sums
bytes 12*n + 16*bins
*/
void kernel(int n, int bins, const int at[restrict n], const double w[restrict n], double y[restrict bins]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    //@ atomic
    y[at[i]] += w[i];
  }
}
