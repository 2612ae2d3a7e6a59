extern "C" __global__ void __launch_bounds__(256)
dot(int n, const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out) {
  __shared__ float sums[8];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i] * y[i];
  for (int step = 1; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < 8; w++) total += sums[w];
    atomicAdd(out, total);
  }
}
