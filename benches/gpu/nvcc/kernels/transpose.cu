extern "C" __global__ void __launch_bounds__(256)
transpose(int m, int n, const float *__restrict__ a, float *__restrict__ b) {
  __shared__ float tile[32][33];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    int row = blockIdx.y * 32 + ty + i;
    if (row < m && column < n) tile[ty + i][tx] = a[row * n + column];
  }
  __syncthreads();
  column = blockIdx.y * 32 + tx;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    int row = blockIdx.x * 32 + ty + i;
    if (row < n && column < m) b[row * m + column] = tile[tx][ty + i];
  }
}
