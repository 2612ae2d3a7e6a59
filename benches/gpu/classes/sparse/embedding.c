/* Rows of a table, as many as an array names.
size check n=301 d=20 table=50
size main n=1<<20 d=128 table=100000
size odd n=300007 d=100 table=30011
size short n=1<<23 d=8 table=1<<20
size small n=128 d=64 table=1000
fill at below:table
out y
bytes 4*n + 4*n*d + 4*min(n, table)*d
*/
void kernel(int n, int d, int table, const int at[restrict n], const float e[restrict table][d], float y[restrict n][d]) {
  //@ nest 2
  for (int i = 0; i < n; i++)
    //@ inner
    for (int j = 0; j < d; j++) y[i][j] = e[at[i]][j];
}
