/* How often each pair of numbers occurs together.
size check n=5003 p=12 q=15
size main n=1<<26 p=64 q=64
size odd n=20000003 p=200 q=300
fill a below:p
fill b below:q
fill h zeros
inout h
bytes 8*n + 8*p*q
*/
void kernel(int n, int p, int q, const int a[restrict n], const int b[restrict n], int h[restrict p][q]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    //@ atomic
    h[a[i]][b[i]] += 1;
  }
}
