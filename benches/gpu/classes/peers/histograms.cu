// Histograms by CUB; scattered additions by hand, with an atomic operation for each.
#include "cub.cuh"

PEER(counts_i32) {
  long n = r["n"];
  int bins = (int)r["bins"];
  Buffer<int> a(r, "a", n), h(bins);
  int *pa = a.p, *ph = h.p;
  measure_cub(r, "CUB", {{"h", h}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceHistogram::HistogramEven(room, bytes, pa, ph, bins + 1, 0, bins, (int)n, s);
  });
}

PEER(grey_u8) {
  long n = r["m"] * r["n"];
  Buffer<unsigned char> a(r, "a", n);
  Buffer<int> h(256);
  auto *pa = a.p;
  int *ph = h.p;
  measure_cub(r, "CUB", {{"h", h}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceHistogram::HistogramEven(room, bytes, pa, ph, 257, 0, 256, (int)n, s);
  });
}

PEER(ranges_f32) {
  long n = r["n"];
  int bins = (int)r["bins"];
  Buffer<float> x(r, "x", n);
  Buffer<int> h(bins);
  float *px = x.p;
  int *ph = h.p;
  measure_cub(r, "CUB", {{"h", h}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceHistogram::HistogramEven(room, bytes, px, ph, bins + 1, 0.0f, 1.0f, (int)n, s);
  });
}

// Zeros, then one thread for each element; of few bins each block has its own in shared memory.
template <class T, class Bin, class Value> __global__ void shared_kernel(long n, int bins, Bin bin, Value value, T *y) {
  extern __shared__ char memory[];
  T *mine = (T *)memory;
  for (int k = threadIdx.x; k < bins; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) atomicAdd(&mine[bin(i)], value(i));
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += blockDim.x)
    if (mine[k] != 0) atomicAdd(&y[k], mine[k]);
}

template <class T, class Bin, class Value>
static void scattered(const Row &r, const char *name, const Buffer<T> &y, long n, Bin bin, Value value) {
  T *py = y.p;
  long bins = y.n;
  measure(r, "CUDA", {{name, y}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(py, 0, (size_t)bins * sizeof(T), s));
    each(n, s, [=] __device__(long i) { atomicAdd(&py[bin(i)], value(i)); });
  });
  if (bins * (long)sizeof(T) <= 48 * 1024)
    measure(r, "CUDA-shared", {{name, y}}, [=](cudaStream_t s) {
      CUDA(cudaMemsetAsync(py, 0, (size_t)bins * sizeof(T), s));
      shared_kernel<<<1056, 256, (size_t)bins * sizeof(T), s>>>(n, (int)bins, bin, value, py);
    });
}

template <class T> struct At {
  const T *p;
  __device__ T operator()(long i) const { return p[i]; }
};

PEER(scatter_f32) {
  long n = r["n"];
  Buffer<int> at(r, "at", n);
  Buffer<float> x(r, "x", n), y(r["bins"]);
  scattered(r, "y", y, n, At<int>{at.p}, At<float>{x.p});
}

PEER(weighted_f64) {
  long n = r["n"];
  Buffer<int> at(r, "at", n);
  Buffer<double> w(r, "w", n), y(r["bins"]);
  scattered(r, "y", y, n, At<int>{at.p}, At<double>{w.p});
}

struct Cell {
  const int *at;
  int d;
  __device__ long operator()(long i) const { return (long)at[i / d] * d + i % d; }
};

PEER(add_rows) {
  long n = r["n"], d = r["d"];
  Buffer<int> at(r, "at", n);
  Buffer<float> x(r, "x", n * d), y(r["bins"] * d);
  scattered(r, "y", y, n * d, Cell{at.p, (int)d}, At<float>{x.p});
}

struct Both {
  const int *a, *b;
  int q;
  __device__ int operator()(long i) const { return a[i] * q + b[i]; }
};
struct One {
  __device__ int operator()(long) const { return 1; }
};

PEER(joint) {
  long n = r["n"];
  Buffer<int> a(r, "a", n), b(r, "b", n), h(r["p"] * r["q"]);
  scattered(r, "h", h, n, Both{a.p, b.p, (int)r["q"]}, One());
}

PEER(greatest_i32) {
  long n = r["n"], bins = r["bins"];
  Buffer<int> at(r, "at", n), x(r, "x", n), top(r, "top", bins);
  int *pa = at.p, *px = x.p, *pt = top.p;
  measure(r, "CUDA", {{"top", top}}, [=](cudaStream_t s) { each(n, s, [=] __device__(long i) { atomicMax(&pt[pa[i]], px[i]); }); });
}

PEER(nearest_cells) {
  long n = r["n"], count = r["cells"];
  Buffer<float> x(r, "x", n), grid(count + 1);
  float *px = x.p, *pg = grid.p, scale = (float)(count - 1);
  measure(r, "CUDA", {{"grid", grid}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(pg, 0, (size_t)(count + 1) * sizeof(float), s));
    each(n, s, [=] __device__(long i) {
      float place = px[i] * scale;
      int k = (int)place;
      atomicAdd(&pg[k], 1 - (place - k));
      atomicAdd(&pg[k + 1], place - k);
    });
  });
}
