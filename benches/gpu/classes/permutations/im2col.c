/* The 3 by 3 neighbourhoods of pictures as the columns of a matrix.
size check c=3 h=9 w=11
size main c=64 h=512 w=512
size odd c=37 h=301 w=203
out y
*/
void kernel(int c, int h, int w, const float x[restrict c][h + 2][w + 2], float y[restrict c][3][3][h][w]) {
  //@ nest 5
  for (int k = 0; k < c; k++)
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        for (int i = 0; i < h; i++)
          //@ inner
          for (int j = 0; j < w; j++) y[k][p][q][i][j] = x[k][i + p][j + q];
}
