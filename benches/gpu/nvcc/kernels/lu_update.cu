extern "C" __global__ void __launch_bounds__(256) lu_update(int n, int k, double *a) {
  int i = blockIdx.y * 8 + threadIdx.y + k + 1, j = blockIdx.x * 32 + threadIdx.x + k + 1;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
