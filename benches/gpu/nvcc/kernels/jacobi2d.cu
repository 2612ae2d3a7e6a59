extern "C" __global__ void __launch_bounds__(256)
jacobi2d(int n, const double *__restrict__ a, double *__restrict__ b) {
  int i = blockIdx.y * 8 + threadIdx.y + 1, j = blockIdx.x * 32 + threadIdx.x + 1;
  if (i < n - 1 && j < n - 1)
    b[i * n + j] =
        0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
}
