extern "C" __global__ void __launch_bounds__(256)
histogram(int n, const unsigned char *__restrict__ x, int *__restrict__ out) {
  __shared__ int table[256];
  int t = threadIdx.x;
  table[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) atomicAdd(&table[x[i]], 1);
  __syncthreads();
  atomicAdd(&out[t], table[t]);
}
