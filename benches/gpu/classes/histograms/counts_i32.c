/* How often each number occurs.
size check n=5003 bins=100
size main n=1<<26 bins=256
size few n=1<<26 bins=16
size many n=1<<26 bins=1000000
size skewed n=1<<26 bins=4096 a~skew:bins
size one n=1<<26 bins=256 a~always:77
size small n=10000 bins=64
fill a below:bins
fill h zeros
inout h
bytes 4*n + 8*bins
*/
void kernel(int n, int bins, const int a[restrict n], int h[restrict bins]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    //@ atomic
    h[a[i]]++;
  }
}
