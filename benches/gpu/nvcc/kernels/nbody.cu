extern "C" __global__ void __launch_bounds__(256)
nbody(int n, const float4 *__restrict__ body, float4 *__restrict__ acc) {
  __shared__ float4 tile[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float4 me = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j += 256) {
    tile[t] = body[j + t];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float4 o = tile[k];
      float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = o.w * (inv * inv * inv);
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0);
}
