/* Rows are added to the rows of a matrix that an array names, as gradients of an embedding are.
size check n=301 d=20 bins=50
size main n=1<<19 d=128 bins=50000
size odd n=200003 d=100 bins=1000
size skewed n=1<<19 d=64 bins=30000 at~skew:bins
fill at below:bins
fill y zeros
inout y
sums
bytes 4*n + 4*n*d + 8*bins*d
*/
void kernel(int n, int d, int bins, const int at[restrict n], const float x[restrict n][d], float y[restrict bins][d]) {
  //@ nest 2
  for (int i = 0; i < n; i++)
    //@ inner
    for (int j = 0; j < d; j++) {
      //@ atomic
      y[at[i]][j] += x[i][j];
    }
}
