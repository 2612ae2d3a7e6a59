/* The greatest value of each group.
size check n=5003 bins=100
size main n=1<<26 bins=10000
size odd n=20000003 bins=33
fill at below:bins
inout top
bytes 8*n + 8*bins
*/
void kernel(int n, int bins, const int at[restrict n], const int x[restrict n], int top[restrict bins]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    //@ atomic
    top[at[i]] = top[at[i]] > x[i] ? top[at[i]] : x[i];
  }
}
