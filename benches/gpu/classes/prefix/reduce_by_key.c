/* The sum of the elements of each key, the keys sorted and their starts known.
size check n=5000
size main n=1<<26
size odd n=30000000
size steep n=1<<26 start~steep:20
fill start starts:20
out s
sums
bytes 4*n + 8*(n//20)
*/
void kernel(int n, const float a[restrict n], const int start[restrict n / 20 + 1], float s[restrict n / 20]) {
  //@ nest 1
  for (int k = 0; k < n / 20; k++) {
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int i = start[k]; i < start[k + 1]; i++) sum += a[i];
    s[k] = sum;
  }
}
