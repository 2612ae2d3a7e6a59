/* The residual of a system with a sparse matrix in rows: f64.
size check n=400 nnz=2000 start~starts:5
size main n=1<<21 nnz=27*(1<<21) start~starts:27
size short n=1<<22 nnz=5*(1<<22) start~starts:5
fill col near:n:3000
out r
sums
bytes 12*nnz + 4*n + 24*n
*/
void kernel(int n, int nnz, const int start[restrict n + 1], const int col[restrict nnz], const double val[restrict nnz],
            const double x[restrict n], const double b[restrict n], double r[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    double s = b[i];
    //@ inner reduction(+:s)
    for (int k = start[i]; k < start[i + 1]; k++) s -= val[k] * x[col[k]];
    r[i] = s;
  }
}
