// Rows: a block takes one, and keeps in registers what fits there.
#include "cub.cuh"

constexpr int HELD = 16;

struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// The block's result for all of its threads.
template <int N, class F> __device__ float together(float x, F op) {
  using Reduce = cub::BlockReduce<float, N>;
  __shared__ typename Reduce::TempStorage room;
  __shared__ float all;
  __syncthreads();
  x = Reduce(room).Reduce(x, op);
  if (!threadIdx.x) all = x;
  __syncthreads();
  return all;
}

template <int N> __global__ void softmax_kernel(int n, const float *__restrict__ a, float *__restrict__ b) {
  a += (long)blockIdx.x * n;
  b += (long)blockIdx.x * n;
  float x[HELD], top = -INFINITY, sum = 0;
  for (int k = 0; k < HELD; k++) {
    int j = k * N + threadIdx.x;
    x[k] = j < n ? a[j] : -INFINITY;
    top = fmaxf(top, x[k]);
  }
  top = together<N>(top, Greater());
  for (int k = 0; k < HELD; k++) sum += x[k] = expf(x[k] - top);
  sum = 1 / together<N>(sum, cuda::std::plus<float>());
  for (int k = 0; k < HELD; k++)
    if (k * N + threadIdx.x < n) b[k * N + threadIdx.x] = x[k] * sum;
}

template <int N>
__global__ void layer_norm_kernel(int n, const float *__restrict__ a, const float *__restrict__ gamma, const float *__restrict__ beta,
                                  float *__restrict__ b) {
  a += (long)blockIdx.x * n;
  b += (long)blockIdx.x * n;
  float x[HELD], sum = 0, square = 0;
  for (int k = 0; k < HELD; k++) {
    int j = k * N + threadIdx.x;
    x[k] = j < n ? a[j] : 0;
    sum += x[k];
  }
  float mean = together<N>(sum, cuda::std::plus<float>()) / n;
  for (int k = 0; k < HELD; k++)
    if (k * N + threadIdx.x < n) square += (x[k] - mean) * (x[k] - mean);
  float scale = rsqrtf(together<N>(square, cuda::std::plus<float>()) / n + 1e-5f);
  for (int k = 0; k < HELD; k++) {
    int j = k * N + threadIdx.x;
    if (j < n) b[j] = (x[k] - mean) * scale * gamma[j] + beta[j];
  }
}

PEER(softmax) {
  long m = r["m"], n = r["n"];
  if (n > 512 * HELD) return;
  Buffer<float> a(r, "a", m * n), b(m * n);
  float *pa = a.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    if (n <= 32 * HELD) softmax_kernel<32><<<(unsigned)m, 32, 0, s>>>((int)n, pa, pb);
    else if (n <= 128 * HELD) softmax_kernel<128><<<(unsigned)m, 128, 0, s>>>((int)n, pa, pb);
    else softmax_kernel<512><<<(unsigned)m, 512, 0, s>>>((int)n, pa, pb);
  });
}

PEER(layer_norm) {
  long m = r["m"], n = r["n"];
  if (n > 512 * HELD) return;
  Buffer<float> a(r, "a", m * n), gamma(r, "gamma", n), beta(r, "beta", n), b(m * n);
  float *pa = a.p, *pg = gamma.p, *pt = beta.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    if (n <= 32 * HELD) layer_norm_kernel<32><<<(unsigned)m, 32, 0, s>>>((int)n, pa, pg, pt, pb);
    else if (n <= 128 * HELD) layer_norm_kernel<128><<<(unsigned)m, 128, 0, s>>>((int)n, pa, pg, pt, pb);
    else layer_norm_kernel<512><<<(unsigned)m, 512, 0, s>>>((int)n, pa, pg, pt, pb);
  });
}

__global__ void top_kernel(int n, const float *__restrict__ a, float *__restrict__ value, int *__restrict__ at) {
  using Pair = cub::KeyValuePair<int, float>;
  using Reduce = cub::BlockReduce<Pair, 256>;
  __shared__ typename Reduce::TempStorage room;
  a += (long)blockIdx.x * n;
  Pair best(0, -INFINITY);
  for (int j = threadIdx.x; j < n; j += 256)
    if (a[j] > best.value) best = Pair(j, a[j]);
  best = Reduce(room).Reduce(best, cub::ArgMax());
  if (threadIdx.x) return;
  value[blockIdx.x] = best.value;
  at[blockIdx.x] = best.key;
}

PEER(top_value) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", m * n), value(m);
  Buffer<int> at(m);
  float *pa = a.p, *pv = value.p;
  int *pi = at.p;
  measure(r, "CUDA", {{"value", value}, {"at", at}}, [=](cudaStream_t s) { top_kernel<<<(unsigned)m, 256, 0, s>>>((int)n, pa, pv, pi); });
}

__global__ void cumsum_kernel(int n, const float *__restrict__ a, float *__restrict__ b) {
  using Scan = cub::BlockScan<float, 128>;
  using Load = cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<float, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } room;
  a += (long)blockIdx.x * n;
  b += (long)blockIdx.x * n;
  float carry = 0;
  for (int j = 0; j < n; j += 512) {
    float x[4], all;
    Load(room.load).Load(a + j, x, n - j, 0.0f);
    __syncthreads();
    Scan(room.scan).InclusiveSum(x, x, all);
    __syncthreads();
    for (float &v : x) v += carry;
    carry += all;
    Store(room.store).Store(b + j, x, n - j);
    __syncthreads();
  }
}

PEER(cumsum_rows) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", m * n), b(m * n);
  float *pa = a.p, *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) { cumsum_kernel<<<(unsigned)m, 128, 0, s>>>((int)n, pa, pb); });
}
