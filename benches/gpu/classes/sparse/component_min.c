/* A step of label propagation: each node takes the least label among its neighbours and itself.
size check n=400 nnz=2400 start~starts:6
size main n=1<<21 nnz=1<<25 start~starts:16
size steep n=1<<20 nnz=1<<23 start~steep:8
fill to below:n
out next
bytes 4*nnz + 4*n + 8*n
*/
void kernel(int n, int nnz, const int start[restrict n + 1], const int to[restrict nnz], const int label[restrict n],
            int next[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    int least = label[i];
    for (int k = start[i]; k < start[i + 1]; k++)
      if (label[to[k]] < least) least = label[to[k]];
    next[i] = least;
  }
}
