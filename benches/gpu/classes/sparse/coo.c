/* A sparse matrix as a list of its numbers with rows and columns, times a vector.
size check n=400 nnz=6400
size main n=1<<20 nnz=1<<25
size odd n=333333 nnz=4444444
fill row below:n
fill col below:n
fill y zeros
inout y
sums
bytes 12*nnz + 12*n
*/
void kernel(int n, int nnz, const int row[restrict nnz], const int col[restrict nnz], const float val[restrict nnz],
            const float x[restrict n], float y[restrict n]) {
  //@ nest 1
  for (int k = 0; k < nnz; k++) {
    //@ atomic
    y[row[k]] += val[k] * x[col[k]];
  }
}
