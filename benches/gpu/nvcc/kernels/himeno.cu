extern "C" __global__ void __launch_bounds__(256)
himeno(const float (*__restrict__ p)[J][K], const float (*__restrict__ a)[I][J][K],
       const float (*__restrict__ b)[I][J][K], const float (*__restrict__ c)[I][J][K],
       const float (*__restrict__ wrk1)[J][K], const float (*__restrict__ bnd)[J][K],
       float (*__restrict__ wrk2)[J][K]) {
  int i = blockIdx.z + 1, j = blockIdx.y * 4 + threadIdx.y + 1, k = blockIdx.x * 64 + threadIdx.x + 1;
  if (j >= J - 1 || k >= K - 1) return;
  float s0 = a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] + a[2][i][j][k] * p[i][j][k + 1] +
             b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k]) +
             b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1]) +
             b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1]) +
             c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] + c[2][i][j][k] * p[i][j][k - 1] +
             wrk1[i][j][k];
  float ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bnd[i][j][k];
  wrk2[i][j][k] = p[i][j][k] + 0.8f * ss;
}
