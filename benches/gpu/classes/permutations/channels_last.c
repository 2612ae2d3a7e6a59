/* Pictures with the channel innermost become ones with the channel behind the picture's number.
size check b=2 h=9 w=11 c=3
size main b=64 h=224 w=224 c=64
size odd b=33 h=111 w=97 c=65
size colours b=64 h=512 w=512 c=3
out y
*/
void kernel(int b, int h, int w, int c, const float x[restrict b][h][w][c], float y[restrict b][c][h][w]) {
  //@ nest 4
  for (int p = 0; p < b; p++)
    for (int k = 0; k < c; k++)
      for (int i = 0; i < h; i++)
        //@ inner
        for (int j = 0; j < w; j++) y[p][k][i][j] = x[p][i][j][k];
}
