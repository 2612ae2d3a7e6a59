/* The heads of attention in front of the positions: the innermost axis stays.
size check b=2 s=9 h=3 d=8
size main b=16 s=2048 h=16 d=64
size odd b=7 s=1013 h=12 d=80
size small b=1 s=32 h=4 d=32
out y
*/
void kernel(int b, int s, int h, int d, const float x[restrict b][s][h][d], float y[restrict b][h][s][d]) {
  //@ nest 4
  for (int p = 0; p < b; p++)
    for (int i = 0; i < s; i++)
      for (int j = 0; j < h; j++)
        //@ inner
        for (int k = 0; k < d; k++) y[p][j][i][k] = x[p][i][j][k];
}
