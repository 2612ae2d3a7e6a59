extern "C" __global__ void __launch_bounds__(128)
spmv(int n, const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value,
     const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
  y[i] = sum;
}
