/* The axes of a 5-D array of integers in the opposite order.
size check e=3 f=4 g=5 h=6 k=7
size main e=32 f=32 g=32 h=32 k=64
size odd e=17 f=31 g=29 h=37 k=43
out b
*/
void kernel(int e, int f, int g, int h, int k, const int a[restrict e][f][g][h][k], int b[restrict k][h][g][f][e]) {
  //@ nest 5
  for (int p = 0; p < e; p++)
    for (int q = 0; q < f; q++)
      for (int r = 0; r < g; r++)
        for (int s = 0; s < h; s++)
          //@ inner
          for (int t = 0; t < k; t++) b[t][s][r][q][p] = a[p][q][r][s][t];
}
