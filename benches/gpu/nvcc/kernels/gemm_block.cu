extern "C" __global__ void __launch_bounds__(256)
gemm_block(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  __shared__ __align__(16) float as[8][128], bs[8][128];
  int t = threadIdx.x;
  int arow = t / 2, acol = t % 2 * 4, brow = t / 32, bcol = t % 32 * 4;
  int ty = t / 16 * 8, tx = t % 16 * 8;
  float acc[8][8] = {}, ra[8], rb[8];
  a += (blockIdx.y * 128 + arow) * N + acol;
  b += brow * N + blockIdx.x * 128 + bcol;
  for (int k = 0; k < N; k += 8) {
    float4 u = *reinterpret_cast<const float4 *>(a + k);
    float4 v = *reinterpret_cast<const float4 *>(b + k * N);
    as[acol][arow] = u.x;
    as[acol + 1][arow] = u.y;
    as[acol + 2][arow] = u.z;
    as[acol + 3][arow] = u.w;
    *reinterpret_cast<float4 *>(&bs[brow][bcol]) = v;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 8; l++) {
#pragma unroll
      for (int i = 0; i < 8; i += 4) {
        *reinterpret_cast<float4 *>(&ra[i]) = *reinterpret_cast<const float4 *>(&as[l][ty + i]);
        *reinterpret_cast<float4 *>(&rb[i]) = *reinterpret_cast<const float4 *>(&bs[l][tx + i]);
      }
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  c += (blockIdx.y * 128 + ty) * N + blockIdx.x * 128 + tx;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4 *>(&c[i * N + j]) =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
