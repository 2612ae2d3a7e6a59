/* The positive numbers of an array one behind the other, and how many there are.
size check n=5003
size main n=1<<26
size odd n=30000001
inout b
out count
host count
bytes 4*n + 4*n*7//16
*/
void kernel(int n, const int a[restrict n], int b[restrict n], int count[restrict 1]) {
  int k = 0;
  //@ kernels
  for (int i = 0; i < n; i++)
    if (a[i] > 0) b[k++] = a[i];
  count[0] = k;
}
