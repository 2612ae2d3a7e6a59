/* Numbers are added to the elements that an array of places names.
size check n=5003 bins=300
size main n=1<<26 bins=1<<20
size few n=1<<25 bins=32
size skewed n=1<<25 bins=1<<20 at~skew:bins
size one n=1<<23 bins=1000 at~always:500
fill at below:bins
fill y zeros
inout y
sums
bytes 8*n + 8*bins
*/
void kernel(int n, int bins, const int at[restrict n], const float x[restrict n], float y[restrict bins]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    //@ atomic
    y[at[i]] += x[i];
  }
}
