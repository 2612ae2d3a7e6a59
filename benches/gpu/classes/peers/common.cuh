// What the peers share: rows that run.py asks for, arrays with the data of the C programs, times.
//
// A peer is a function of a row, registered under the name of a program. It makes its arrays,
// and says what a call is; `measure` checks and times it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define CUDA(call)                                                                                   \
  do {                                                                                               \
    cudaError_t status_ = (call);                                                                    \
    if (status_ != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
      std::exit(1);                                                                                  \
    }                                                                                                \
  } while (0)

struct Row {
  std::string name, set;
  std::map<std::string, long> sizes;
  std::map<std::string, std::pair<long, std::string>> arrays;
  long operator[](const char *size) const { return sizes.at(size); }
};

using Peer = std::function<void(const Row &)>;
std::map<std::string, std::vector<Peer>> &peers();
struct Register {
  Register(const char *name, Peer peer) { peers()[name].push_back(peer); }
};
#define PEER(name) \
  static void peer_##name(const Row &r); \
  static Register register_##name(#name, peer_##name); \
  static void peer_##name([[maybe_unused]] const Row &r)

constexpr int THREADS = 256;
inline unsigned blocks(long n, int threads = THREADS) { return (unsigned)((n + threads - 1) / threads); }

template <class F> __global__ void each_kernel(long n, F f) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

// One thread for each of n.
template <class F> void each(long n, cudaStream_t s, F f) { each_kernel<<<blocks(n), THREADS, 0, s>>>(n, f); }

template <class F> __global__ void cells_kernel(int m, int n, F f) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) f((long)blockIdx.z, (long)i, (long)j);
}

// One thread for each cell of l planes of m rows of n.
template <class F> void cells(long l, long m, long n, cudaStream_t s, F f) {
  cells_kernel<<<dim3(blocks(n, 32), blocks(m, 8), (unsigned)l), dim3(32, 8), 0, s>>>((int)m, (int)n, f);
}

__host__ __device__ inline uint64_t draw(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

enum Fill { RANDOM, BELOW, ZEROS, SKEW, ALWAYS, FLAGS, SORTED, STARTS, STEEP, NEAR, NEARC };

// The element of an array that driver.c fills.
template <class T> __device__ T element(Fill kind, long seed, long i, long count, long x, long y) {
  uint64_t bits = draw((uint64_t)seed, (uint64_t)i);
  double u = (double)(bits >> 11) * 0x1p-53, at = (double)i / (double)count;
  long v = 0;
  switch (kind) {
  case RANDOM:
    if (T(0.5) != T(0)) return T(u);
    return sizeof(T) == 1 ? T(bits >> 56) : T((long)(bits >> 60) - 8);
  case BELOW: v = (long)(u * (double)x); break;
  case ZEROS: break;
  case SKEW: v = (long)(u * u * u * u * (double)x); break;
  case ALWAYS: v = x; break;
  case FLAGS: v = u * (double)x < 1; break;
  case SORTED: v = (long)(pow(at, 1.2) * (double)x); break;
  case STARTS: v = i == 0 ? 0 : i == count - 1 ? i * x : i * x - (long)(u * (double)x); break;
  case STEEP: v = (long)(cbrt((double)i / (double)(count - 1)) * (double)(x * (count - 1))); break;
  case NEAR:
  case NEARC:
    v = (kind == NEARC ? i % x : (long)(at * (double)x)) + (long)(u * (double)(2 * y + 1)) - y;
    v = (v % x + x) % x;
  }
  return T(v);
}

Fill fill_kind(const std::string &text, long &x, long &y);

// An array on the device.
template <class T> struct Buffer {
  T *p = nullptr;
  long n;
  explicit Buffer(long count) : n(count) { CUDA(cudaMalloc(&p, (size_t)n * sizeof(T))); }
  // With the data of an array of the row's program.
  Buffer(const Row &r, const char *name, long count) : Buffer(count) { fill(r, name); }
  ~Buffer() { cudaFree(p); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void fill(const Row &r, const char *name) {
    long x = 0, y = 0, count = n, seed = r.arrays.at(name).first;
    Fill kind = fill_kind(r.arrays.at(name).second, x, y);
    T *q = p;
    each(n, 0, [=] __device__(long i) { q[i] = element<T>(kind, seed, i, count, x, y); });
    CUDA(cudaGetLastError());
  }
};

template <class T> __global__ void magnitude_kernel(const T *p, long n, double *sum) {
  double mine = 0;
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) mine += fabs((double)p[i]);
  atomicAdd(sum, mine);
}

// The sum of the magnitudes of an array that a call wrote, to be compared with the C program's.
struct Written {
  const char *name;
  std::function<double()> sum;
  template <class T> Written(const char *name, const Buffer<T> &b) : name(name) {
    const T *p = b.p;
    long n = b.n;
    sum = [=] {
      double *device, host;
      CUDA(cudaMalloc(&device, sizeof(double)));
      CUDA(cudaMemset(device, 0, sizeof(double)));
      magnitude_kernel<<<512, 256>>>(p, n, device);
      CUDA(cudaMemcpy(&host, device, sizeof(double), cudaMemcpyDeviceToHost));
      CUDA(cudaFree(device));
      return host;
    };
  }
};

// Prints the sums behind the first call, then what a call takes on the device and in all.
void measure(const Row &r, const char *label, const std::vector<Written> &written, const std::function<void(cudaStream_t)> &call);
