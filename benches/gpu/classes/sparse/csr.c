/* A sparse matrix in rows times a vector.
size check n=400 nnz=6400 start~starts:16
size main n=1<<20 nnz=1<<25 start~starts:32
size banded n=1<<21 nnz=1<<25 start~starts:16 col~near:n:200
size steep n=1<<20 nnz=1<<24 start~steep:16
size odd n=777777 nnz=5444439 start~starts:7
size small n=1000 nnz=8000 start~starts:8
fill col below:n
out y
sums
bytes 8*nnz + 4*n + 8*n
*/
void kernel(int n, int nnz, const int start[restrict n + 1], const int col[restrict nnz], const float val[restrict nnz],
            const float x[restrict n], float y[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    float s = 0;
    //@ inner reduction(+:s)
    for (int k = start[i]; k < start[i + 1]; k++) s += val[k] * x[col[k]];
    y[i] = s;
  }
}
