extern "C" __global__ void __launch_bounds__(128)
softmax(int m, const float *__restrict__ x, float *__restrict__ y) {
  int lane = threadIdx.x % 32, r = blockIdx.x * 4 + threadIdx.x / 32;
  if (r >= m) return;
  float row[32], top = -INFINITY, sum = 0;
#pragma unroll
  for (int k = 0; k < 32; k++) {
    row[k] = x[r * 1024 + k * 32 + lane];
    top = fmaxf(top, row[k]);
  }
#pragma unroll
  for (int step = 1; step < 32; step *= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, step));
#pragma unroll
  for (int k = 0; k < 32; k++) {
    row[k] = expf(row[k] - top);
    sum += row[k];
  }
#pragma unroll
  for (int step = 1; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  float scale = 1 / sum;
#pragma unroll
  for (int k = 0; k < 32; k++) y[r * 1024 + k * 32 + lane] = row[k] * scale;
}
