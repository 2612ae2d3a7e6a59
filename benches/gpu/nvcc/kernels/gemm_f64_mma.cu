extern "C" __global__ void __launch_bounds__(128)
gemm_f64_mma(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c) {
  __shared__ double as[64][20], bs[16][36];
  int t = threadIdx.x, lane = t % 32, wm = t / 64, wn = t / 32 % 2;
  int row = blockIdx.y * 64, column = blockIdx.x * 32;
  double acc[4][2][2] = {};
  for (int k = 0; k < N; k += 16) {
#pragma unroll
    for (int i = 0; i < 8; i++) as[t / 16 + i * 8][t % 16] = a[(row + t / 16 + i * 8) * N + k + t % 16];
#pragma unroll
    for (int i = 0; i < 4; i++) bs[t / 32 + i * 4][t % 32] = b[(k + t / 32 + i * 4) * N + column + t % 32];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; l += 4) {
      double fa[4], fb[2];
#pragma unroll
      for (int m = 0; m < 4; m++) fa[m] = as[wm * 32 + lane / 4 + m * 8][l + lane % 4];
#pragma unroll
      for (int n = 0; n < 2; n++) fb[n] = bs[l + lane % 4][wn * 16 + lane / 4 + n * 8];
#pragma unroll
      for (int m = 0; m < 4; m++)
#pragma unroll
        for (int n = 0; n < 2; n++)
          asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
              : "+d"(acc[m][n][0]), "+d"(acc[m][n][1])
              : "d"(fa[m]), "d"(fb[n]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 4; m++)
#pragma unroll
    for (int n = 0; n < 2; n++)
      *reinterpret_cast<double2 *>(
          &c[(row + wm * 32 + m * 8 + lane / 4) * N + column + wn * 16 + n * 8 + lane % 4 * 2]) =
          make_double2(acc[m][n][0], acc[m][n][1]);
}
