extern "C" __global__ void __launch_bounds__(256)
stencil_shared(const float *__restrict__ a, float *__restrict__ b) {
  __shared__ float tile[10][34];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  int row = blockIdx.y * 8, column = blockIdx.x * 32;
#pragma unroll
  for (int k = 0; k < 512; k += 256)
    if (t + k < 340) tile[(t + k) / 34][(t + k) % 34] = a[(row + (t + k) / 34) * M + column + (t + k) % 34];
  __syncthreads();
  float v = tile[ty + 1][tx + 1];
  float sum = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2];
  b[(row + ty + 1) * M + column + tx + 1] = v + 0.1f * (-4.0f * v + sum);
}
