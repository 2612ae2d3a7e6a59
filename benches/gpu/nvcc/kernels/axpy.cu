extern "C" __global__ void __launch_bounds__(256)
axpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
