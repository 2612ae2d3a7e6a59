extern "C" __global__ void __launch_bounds__(256)
scan(int n, const int *__restrict__ x, int *__restrict__ y, int *__restrict__ sums) {
  __shared__ int warps[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32, warp = t / 32;
  int v = i < n ? x[i] : 0;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    int from = __shfl_up_sync(0xffffffff, v, step);
    if (lane >= step) v += from;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; w++) before += warps[w];
  v += before;
  if (i < n) y[i] = v;
  if (t == 255) sums[blockIdx.x] = v;
}
