typedef unsigned short half_bits;

static __device__ void copy(const half_bits *to, const half_bits *from) {
  unsigned at = __cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}

extern "C" __global__ void __launch_bounds__(128)
gemm_f16(const half_bits *__restrict__ a, const half_bits *__restrict__ b, float *__restrict__ c) {
  __shared__ __align__(16) half_bits as[64][40], bs[32][72];
  int t = threadIdx.x, lane = t % 32, wm = t / 64, wn = t / 32 % 2;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  int ar = t / 4, ac = t % 4 * 8, br = t / 8, bc = t % 8 * 8;
  float acc[2][4][4] = {};
  for (int k = 0; k < N; k += 32) {
    copy(&as[ar][ac], a + (row + ar) * N + k + ac);
    copy(&as[ar + 32][ac], a + (row + ar + 32) * N + k + ac);
    copy(&bs[br][bc], b + (k + br) * N + column + bc);
    copy(&bs[br + 16][bc], b + (k + br + 16) * N + column + bc);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[2][4], fb[4][2];
#pragma unroll
      for (int m = 0; m < 2; m++) {
        unsigned at = __cvta_generic_to_shared(&as[wm * 32 + m * 16 + lane % 16][kk + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[m][0]), "=r"(fa[m][1]), "=r"(fa[m][2]), "=r"(fa[m][3])
                     : "r"(at)
                     : "memory");
      }
#pragma unroll
      for (int n = 0; n < 4; n++) {
        unsigned at = __cvta_generic_to_shared(&bs[kk + lane % 16][wn * 32 + n * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(fb[n][0]), "=r"(fb[n][1])
                     : "r"(at)
                     : "memory");
      }
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 4; n++)
          asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
              "{%0, %1, %2, %3};"
              : "+f"(acc[m][n][0]), "+f"(acc[m][n][1]), "+f"(acc[m][n][2]), "+f"(acc[m][n][3])
              : "r"(fa[m][0]), "r"(fa[m][1]), "r"(fa[m][2]), "r"(fa[m][3]), "r"(fb[n][0]), "r"(fb[n][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int n = 0; n < 4; n++) {
      float *to = c + (row + wm * 32 + m * 16 + lane / 4) * N + column + wn * 32 + n * 8 + lane % 4 * 2;
      *reinterpret_cast<float2 *>(to) = make_float2(acc[m][n][0], acc[m][n][1]);
      *reinterpret_cast<float2 *>(to + 8 * N) = make_float2(acc[m][n][2], acc[m][n][3]);
    }
}
