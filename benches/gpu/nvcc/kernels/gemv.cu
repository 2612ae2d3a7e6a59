extern "C" __global__ void __launch_bounds__(128)
gemv(int m, int n, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y) {
  int j = blockIdx.x * 128 + threadIdx.x;
  if (j >= n) return;
  int first = blockIdx.y * 128, last = min(first + 128, m);
  float sum = 0;
  for (int i = first; i < last; i++) sum += a[i * n + j] * x[i];
  atomicAdd(&y[j], sum);
}
