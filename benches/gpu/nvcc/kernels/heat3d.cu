extern "C" __global__ void __launch_bounds__(256)
heat3d(int n, const double *__restrict__ a, double *__restrict__ b) {
  int i = blockIdx.z * 2 + threadIdx.z + 1, j = blockIdx.y * 4 + threadIdx.y + 1,
      k = blockIdx.x * 32 + threadIdx.x + 1;
  if (i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  int at = (i * n + j) * n + k;
  double o = a[at];
  b[at] = 0.125 * (a[at + n * n] - 2.0 * o + a[at - n * n]) + 0.125 * (a[at + n] - 2.0 * o + a[at - n]) +
          0.125 * (a[at + 1] - 2.0 * o + a[at - 1]) + o;
}
