// nvcc -O3 -arch=sm_80 -ptx gemm.cu -o gemm.ptx
//
// C = A B with 128 threads a block of 64 x 64, halves in, singles out: tiles of 32
// in depth come by asynchronous copies, two stages, rows padded to 80 and 144 bytes
// so that ldmatrix meets no bank twice.
typedef unsigned u32;

static __device__ __forceinline__ u32 shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to)), "l"(from) : "memory");
}

struct Tiles {
  unsigned short a[64][40];
  unsigned short b[32][72];
};

extern "C" __global__ void __launch_bounds__(128)
gemm(const unsigned short *a, const unsigned short *b, float *c, int n, int depth) {
  __shared__ __align__(16) Tiles tiles[2];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  float sum[8][4] = {};
  auto fetch = [&](int stage, int k0) {
    for (int i = thread; i < 256; i += 128) {
      copy16(&tiles[stage].a[i / 4][i % 4 * 8], a + (row0 + i / 4) * depth + k0 + i % 4 * 8);
      copy16(&tiles[stage].b[i / 8][i % 8 * 8], b + (k0 + i / 8) * n + column0 + i % 8 * 8);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0, 0);
  for (int k0 = 0, stage = 0; k0 < depth; k0 += 32, stage ^= 1) {
    if (k0 + 32 < depth) {
      fetch(stage ^ 1, k0 + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      u32 x[4], y[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(shared(&tiles[stage].a[warp * 16 + lane % 16][k + lane / 16 * 8])));
#pragma unroll
      for (int j = 0; j < 8; j++) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(shared(&tiles[stage].b[k + lane % 16][j * 8])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    int r = row0 + warp * 16 + lane / 4, at = column0 + j * 8 + lane % 4 * 2;
    *(float2 *)&c[r * n + at] = make_float2(sum[j][0], sum[j][1]);
    *(float2 *)&c[(r + 8) * n + at] = make_float2(sum[j][2], sum[j][3]);
  }
}
