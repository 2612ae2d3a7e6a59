static float grid[64][66], next[64][66];
extern double sqrt(double);
int relax(int steps, float *error)
{
  int i, j, it;
  for (it = 0; it < steps; it++) {
    float worst = 0;
#pragma acc kernels loop independent tile(8, 8) private(j)
    for (i = 1; i < 63; i++)
      for (j = 1; j < 65; j++)
        next[i][j] = 0.25f * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
#pragma acc kernels
    {
      for (i = 1; i < 63; i++)
        for (j = 1; j < 65; j++) {
          float d = next[i][j] - grid[i][j];
          worst = d > worst ? d : worst;
          grid[i][j] = (float)sqrt(next[i][j]);
        }
      grid[0][0] = worst;
    }
    *error = worst;
    if (worst < 1e-3f) break;
  }
  return it;
}
