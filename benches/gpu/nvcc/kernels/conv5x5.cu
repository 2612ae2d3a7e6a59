extern "C" __global__ void __launch_bounds__(256)
conv5x5(int m, int n, const float *__restrict__ image, const float *__restrict__ w, float *__restrict__ out) {
  int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
#pragma unroll
  for (int u = 0; u < 5; u++)
#pragma unroll
    for (int v = 0; v < 5; v++) sum += image[(i + u) * (n + 4) + j + v] * w[u * 5 + v];
  out[i * n + j] = sum;
}
