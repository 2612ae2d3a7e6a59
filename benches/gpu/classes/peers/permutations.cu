// Transposes by tiles in shared memory, and strided copies; PyTorch has the rest.
#include "common.cuh"

template <class T> __global__ void transpose(int m, int n, const T *__restrict__ a, T *__restrict__ b) {
  __shared__ T tile[32][33];
  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 32 + threadIdx.y;
  a += (long)blockIdx.z * m * n;
  b += (long)blockIdx.z * m * n;
  for (int k = 0; k < 32; k += 8)
    if (i + k < m && j < n) tile[threadIdx.y + k][threadIdx.x] = a[(long)(i + k) * n + j];
  __syncthreads();
  j = blockIdx.x * 32 + threadIdx.y;
  i = blockIdx.y * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8)
    if (i < m && j + k < n) b[(long)(j + k) * m + i] = tile[threadIdx.x][threadIdx.y + k];
}

template <class T> static void transposed(const Row &r, long l) {
  long m = r["m"], n = r["n"];
  if (l > 65535 || (m + 31) / 32 > 65535) return;
  Buffer<T> a(r, "a", l * m * n), b(l * m * n);
  T *pa = a.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    transpose<<<dim3(blocks(n, 32), blocks(m, 32), (unsigned)l), dim3(32, 8), 0, s>>>((int)m, (int)n, pa, pb);
  });
}

PEER(transpose) { transposed<float>(r, 1); }
PEER(transpose_u8) { transposed<unsigned char>(r, 1); }
PEER(batch_021) { transposed<float>(r, r["l"]); }

PEER(heads_0213) {
  long b = r["b"], t = r["s"], h = r["h"], d = r["d"];
  Buffer<float> x(r, "x", b * t * h * d), y(b * t * h * d);
  float *px = x.p, *py = y.p;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    each(b * t * h * d, s, [=] __device__(long q) {
      long k = q % d, rest = q / d, i = rest % t, j = rest / t % h, p = rest / t / h;
      py[q] = px[((p * t + i) * h + j) * d + k];
    });
  });
}

PEER(every_third) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", 6 * m * n), b(m * n);
  float *pa = a.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) { pb[i * n + j] = pa[6 * i * n + 3 * j]; });
  });
}

PEER(flip_i64) {
  long n = r["m"] * r["n"];
  Buffer<long> a(r, "a", n), b(n);
  long *pa = a.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) { each(n, s, [=] __device__(long i) { pb[i] = pa[n - 1 - i]; }); });
}

PEER(im2col) {
  long c = r["c"], h = r["h"], w = r["w"];
  Buffer<float> x(r, "x", c * (h + 2) * (w + 2)), y(c * 9 * h * w);
  float *px = x.p, *py = y.p;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    cells(c * 9, h, w, s, [=] __device__(long q, long i, long j) {
      py[(q * h + i) * w + j] = px[(q / 9 * (h + 2) + i + q % 9 / 3) * (w + 2) + j + q % 3];
    });
  });
}
