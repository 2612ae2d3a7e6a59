extern "C" __global__ void __launch_bounds__(256)
gemm_naive(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b,
           float *__restrict__ c) {
  int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
  c[i * n + j] = sum;
}
