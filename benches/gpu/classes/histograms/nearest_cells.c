/* Particles give their mass to the two nearest cells of a line, by their distance.
size check n=5003 cells=100
size main n=1<<25 cells=1<<20
size few n=1<<25 cells=500
fill grid zeros
inout grid
sums
bytes 4*n + 8*cells
*/
void kernel(int n, int cells, const float x[restrict n], float grid[restrict cells + 1]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    float place = x[i] * (cells - 1);
    int k = (int)place;
    float right = place - k;
    //@ atomic
    grid[k] += 1 - right;
    //@ atomic
    grid[k + 1] += right;
  }
}
