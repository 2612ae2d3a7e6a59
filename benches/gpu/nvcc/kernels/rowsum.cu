extern "C" __global__ void __launch_bounds__(256)
rowsum(int m, int n, const float *__restrict__ a, float *__restrict__ out) {
  int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= m) return;
  float sum = 0;
  for (int j = lane; j < n; j += 32) sum += a[row * n + j];
  for (int step = 1; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) out[row] = sum;
}
