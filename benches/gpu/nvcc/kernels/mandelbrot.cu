extern "C" __global__ void __launch_bounds__(256)
mandelbrot(int m, int n, float x0, float y0, float delta, int *__restrict__ out) {
  int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= m || j >= n) return;
  float cx = x0 + j * delta, cy = y0 + i * delta, x = 0, y = 0;
  int k = 0;
  while (x * x + y * y <= 4.0f && k < 1000) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    k++;
  }
  out[i * n + j] = k;
}
