/* Elements of an array in the order that another one names.
size check n=5003 table=5003
size main n=1<<26 table=1<<26
size cached n=1<<26 table=1<<20
size near n=1<<26 table=1<<26 at~near:table:500
size odd n=20000003 table=20000003
fill at below:table
out b
bytes 8*n + (32*n if table > (1 << 24) else 4*table)
bytes_near 8*n + 4*table
*/
void kernel(int n, int table, const int at[restrict n], const int a[restrict table], int b[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) b[i] = a[at[i]];
}
