/* How many numbers are in each of equal ranges of [0, 1).
size check n=5003 bins=50
size main n=1<<26 bins=100
size many n=1<<26 bins=65536
size odd n=33333331 bins=1000
fill h zeros
inout h
bytes 4*n + 8*bins
*/
void kernel(int n, int bins, const float x[restrict n], int h[restrict bins]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    int k = (int)(x[i] * bins);
    if (k >= bins) k = bins - 1;
    //@ atomic
    h[k]++;
  }
}
