/* Sums along the second and fourth axis of a 5-D array.
size check e=3 f=4 g=5 h=6 k=7
size main e=16 f=64 g=32 h=64 k=32
size odd e=9 f=17 g=31 h=33 k=65
out s
sums
*/
void kernel(int e, int f, int g, int h, int k, const float a[restrict e][f][g][h][k], float s[restrict e][g][k]) {
  //@ nest 3
  for (int p = 0; p < e; p++)
    for (int r = 0; r < g; r++)
      //@ inner
      for (int t = 0; t < k; t++) {
        float sum = 0;
        for (int q = 0; q < f; q++)
          for (int u = 0; u < h; u++) sum += a[p][q][r][u][t];
        s[p][r][t] = sum;
      }
}
