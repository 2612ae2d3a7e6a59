extern "C" __global__ void __launch_bounds__(1024)
gemm_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  __shared__ float as[32][32], bs[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int i = blockIdx.y * 32 + ty, j = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k = 0; k < N; k += 32) {
    as[ty][tx] = a[i * N + k + tx];
    bs[ty][tx] = b[(k + ty) * N + j];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 32; l++) sum += as[ty][l] * bs[l][tx];
    __syncthreads();
  }
  c[i * N + j] = sum;
}
