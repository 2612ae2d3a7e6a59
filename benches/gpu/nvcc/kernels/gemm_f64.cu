extern "C" __global__ void __launch_bounds__(256)
gemm_f64(int n, int k, const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c) {
  __shared__ double as[16][64], bs[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 64, column = blockIdx.x * 64;
  double acc[4][4] = {}, ra[4], rb[4];
  for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      as[tx][ty + i * 16] = a[(row + ty + i * 16) * k + k0 + tx];
      bs[ty][tx + i * 16] = b[(k0 + ty) * n + column + tx + i * 16];
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; l++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        ra[i] = as[l][ty * 4 + i];
        rb[i] = bs[l][tx + i * 16];
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + column + tx + j * 16] = acc[i][j];
}
