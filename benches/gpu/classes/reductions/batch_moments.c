/* Sums and sums of squares of each channel over all pictures and their pixels, as for batch norm.
size check b=3 c=5 h=9 w=11
size main b=64 c=64 h=128 w=128
size odd b=29 c=33 h=75 w=77
size wide b=32 c=2048 h=7 w=7
out s q
sums
*/
void kernel(int b, int c, int h, int w, const float x[restrict b][c][h][w], float s[restrict c], float q[restrict c]) {
  //@ nest 1
  for (int k = 0; k < c; k++) {
    float sum = 0, square = 0;
    //@ inner collapse(3) reduction(+:sum,square)
    for (int p = 0; p < b; p++)
      for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
          sum += x[p][k][i][j];
          square += x[p][k][i][j] * x[p][k][i][j];
        }
    s[k] = sum;
    q[k] = square;
  }
}
