// Sums and extrema of whole arrays and of rows by CUB; of columns by hand.
#include "cub.cuh"

PEER(sum_all) {
  long n = r["n"];
  Buffer<float> x(r, "x", n), t(1);
  float *px = x.p, *pt = t.p;
  measure_cub(r, "CUB", {{"s", t}}, [=](void *room, size_t &bytes, cudaStream_t s) { return cub::DeviceReduce::Sum(room, bytes, px, pt, (int)n, s); });
}

struct Times {
  const double *x, *y;
  __host__ __device__ double operator()(long i) const { return x[i] * y[i]; }
};

PEER(dot_f64) {
  long n = r["n"];
  Buffer<double> x(r, "x", n), y(r, "y", n), t(1);
  double *pt = t.p;
  auto products = thrust::make_transform_iterator(thrust::counting_iterator<long>(0), Times{x.p, y.p});
  measure_cub(r, "CUB", {{"s", t}}, [=](void *room, size_t &bytes, cudaStream_t s) { return cub::DeviceReduce::Sum(room, bytes, products, pt, (int)n, s); });
}

struct RowStart {
  long n;
  __host__ __device__ long operator()(long i) const { return i * n; }
};

__global__ void rows_kernel(int n, const float *__restrict__ a, float *__restrict__ t) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage room;
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += 256) sum += a[(long)blockIdx.x * n + j];
  sum = Reduce(room).Sum(sum);
  if (!threadIdx.x) t[blockIdx.x] = sum;
}

PEER(rows_sum) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", m * n), t(m);
  float *pa = a.p, *pt = t.p;
  auto starts = thrust::make_transform_iterator(thrust::counting_iterator<long>(0), RowStart{n});
  measure_cub(r, "CUB", {{"s", t}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceSegmentedReduce::Sum(room, bytes, pa, pt, (int)m, starts, starts + 1, s);
  });
  if (n >= 256) measure(r, "CUDA", {{"s", t}}, [=](cudaStream_t s) { rows_kernel<<<(unsigned)m, 256, 0, s>>>((int)n, pa, pt); });
}

// A block adds some rows of 32 columns.
template <class T> __global__ void columns_kernel(int m, int n, int rows, const T *__restrict__ a, T *__restrict__ t, T scale) {
  __shared__ T part[8][33];
  int j = blockIdx.x * 32 + threadIdx.x, last = min(m, (int)(blockIdx.y + 1) * rows);
  T sum = 0;
  if (j < n)
    for (int i = blockIdx.y * rows + threadIdx.y; i < last; i += 8) sum += a[(long)i * n + j];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y || j >= n) return;
  for (int k = 1; k < 8; k++) sum += part[k][threadIdx.x];
  atomicAdd(&t[j], sum * scale);
}

template <class T> static void columns(const Row &r, T scale) {
  long m = r["m"], n = r["n"];
  Buffer<T> a(r, "a", m * n), t(n);
  T *pa = a.p, *pt = t.p;
  int parts = (int)std::max(1l, std::min(m / 64 + 1, 2048 / ((n + 31) / 32))), rows = (int)((m + parts - 1) / parts);
  measure(r, "CUDA", {{"s", t}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(pt, 0, (size_t)n * sizeof(T), s));
    columns_kernel<<<dim3(blocks(n, 32), (unsigned)parts), dim3(32, 8), 0, s>>>((int)m, (int)n, rows, pa, pt, scale);
  });
}

PEER(columns_sum) { columns<double>(r, 1.0); }
PEER(columns_mean) { columns<float>(r, 1.0f / (float)r["m"]); }

PEER(argmin_all) {
  long n = r["n"];
  Buffer<double> x(r, "x", n), best(1);
  Buffer<cuda::std::int64_t> at(1);
  double *px = x.p, *pb = best.p;
  auto *pi = at.p;
  measure_cub(r, "CUB", {{"best", best}, {"at", at}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceReduce::ArgMin(room, bytes, px, pb, pi, (cuda::std::int64_t)n, s);
  });
}

__global__ void colours_kernel(long n, const uchar4 *__restrict__ x, unsigned long long *t) {
  using Reduce = cub::BlockReduce<unsigned, 256>;
  __shared__ typename Reduce::TempStorage room[3];
  unsigned sum[3] = {};
  // Four pixels are three words.
  for (long q = (long)blockIdx.x * 256 + threadIdx.x; q < n / 4; q += (long)gridDim.x * 256) {
    uchar4 a = x[3 * q], b = x[3 * q + 1], c = x[3 * q + 2];
    sum[0] += a.x + a.w + b.z + c.y;
    sum[1] += a.y + b.x + b.w + c.z;
    sum[2] += a.z + b.y + c.x + c.w;
  }
  if (!blockIdx.x && !threadIdx.x)
    for (long i = n / 4 * 4; i < n; i++)
      for (int k = 0; k < 3; k++) sum[k] += ((const unsigned char *)x)[3 * i + k];
  for (int k = 0; k < 3; k++) {
    unsigned all = Reduce(room[k]).Sum(sum[k]);
    if (!threadIdx.x) atomicAdd(&t[k], (unsigned long long)all);
  }
}

PEER(colour_sums_u8) {
  long n = r["n"];
  Buffer<unsigned char> x(r, "x", 3 * n);
  Buffer<unsigned long long> t(3);
  auto *px = (const uchar4 *)x.p;
  auto *pt = t.p;
  measure(r, "CUDA", {{"s", t}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(pt, 0, 24, s));
    colours_kernel<<<1056, 256, 0, s>>>(n, px, pt);
  });
}
