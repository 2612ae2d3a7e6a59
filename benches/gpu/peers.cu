// Hand-written CUDA for gemm and jacobi-2d, one thread for each element: what a
// programmer writes first, and so the measure of terrace's naive mapping.
//
//     nvcc -O3 -arch=native benches/gpu/peers.cu -o target/peers/cuda
//     target/peers/cuda gemm 1024 1024 1024
//     target/peers/cuda jacobi-2d 4096 20
//
// Each run prints one line for f64 and one for f32: best and median kernel time
// of REPEAT runs (events around the launches, copies apart), GFLOP/s, checksum,
// and the largest error against a computation on the host, relative to the
// largest element. The error of gemm is taken on 1000 elements, that of
// jacobi-2d on all. A wrong result ends the program with status 1.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call)                                                                                 \
  do {                                                                                             \
    cudaError_t status_ = (call);                                                                  \
    if (status_ != cudaSuccess) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(status_));                                                   \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

template <typename T> const char *type_name() { return sizeof(T) == 8 ? "f64" : "f32"; }
template <typename T> double tolerance() { return sizeof(T) == 8 ? 1e-12 : 1e-4; }

// The data of examples/README.md.
template <typename T> std::vector<T> random_array(size_t n, uint64_t seed) {
  std::vector<T> out(n);
  for (size_t i = 0; i < n; i++) {
    uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    out[i] = static_cast<T>(static_cast<double>(x >> 11) * 0x1p-53);
  }
  return out;
}

template <typename T> struct Device {
  T *p = nullptr;
  size_t n;
  explicit Device(size_t count) : n(count) { CUDA(cudaMalloc(&p, n * sizeof(T))); }
  ~Device() { cudaFree(p); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  void put(const std::vector<T> &v) {
    CUDA(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};

// Seconds of each of REPEAT runs, sorted, after one to warm up.
template <typename Prepare, typename Launch>
std::vector<double> measure(Prepare prepare, Launch launch) {
  const char *text = std::getenv("REPEAT");
  int count = std::max(1, text ? std::atoi(text) : 10);
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  std::vector<double> seconds;
  for (int i = -1; i < count; i++) {
    prepare();
    CUDA(cudaEventRecord(start));
    launch();
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(stop));
    CUDA(cudaEventSynchronize(stop));
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    if (i >= 0)
      seconds.push_back(ms * 1e-3);
  }
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(stop));
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

template <typename T>
bool report(const char *name, const char *sizes, const std::vector<double> &s, double flops,
            const std::vector<T> &result, double error) {
  double sum = 0;
  for (T v : result)
    sum += static_cast<double>(v);
  size_t n = s.size();
  double median = n % 2 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]);
  std::printf("cuda-%s %s %s best %.6f median %.6f gflops %.1f checksum %.17g error %.2e\n", name,
              type_name<T>(), sizes, s[0], median, flops / median * 1e-9, sum, error);
  if (!(error <= tolerance<T>())) {
    std::fprintf(stderr, "cuda-%s %s: the result is wrong\n", name, type_name<T>());
    return false;
  }
  return true;
}

template <typename T>
__global__ void gemm_kernel(long M, long N, long K, T alpha, T beta, const T *__restrict__ A,
                            const T *__restrict__ B, T *__restrict__ C) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  long i = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y;
  if (i >= M || j >= N)
    return;
  T sum = 0;
  for (long k = 0; k < K; k++)
    sum += A[i * K + k] * B[k * N + j];
  C[i * N + j] = alpha * sum + beta * C[i * N + j];
}

template <typename T> bool gemm(long M, long N, long K) {
  const T alpha = static_cast<T>(1.5), beta = static_cast<T>(1.2);
  auto A = random_array<T>(M * K, 1), B = random_array<T>(K * N, 2), C = random_array<T>(M * N, 3);
  Device<T> a(A.size()), b(B.size()), c(C.size());
  a.put(A);
  b.put(B);
  dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
  auto seconds = measure([&] { c.put(C); }, [&] {
    gemm_kernel<T><<<grid, block>>>(M, N, K, alpha, beta, a.p, b.p, c.p);
  });
  auto result = c.get();
  double worst = 0, largest = 0;
  for (int s = 0; s < 1000; s++) {
    size_t at = (static_cast<size_t>(s) * 2654435761u) % result.size();
    long i = static_cast<long>(at / N), j = static_cast<long>(at % N);
    double sum = 0;
    for (long k = 0; k < K; k++)
      sum += static_cast<double>(A[i * K + k]) * static_cast<double>(B[k * N + j]);
    double want = static_cast<double>(alpha) * sum + static_cast<double>(beta) * C[at];
    worst = std::max(worst, std::fabs(want - result[at]));
    largest = std::max(largest, std::fabs(want));
  }
  char sizes[64];
  std::snprintf(sizes, sizeof sizes, "%ldx%ldx%ld", M, N, K);
  return report("gemm", sizes, seconds, 2.0 * M * N * K + 3.0 * M * N, result, worst / largest);
}

template <typename T>
__global__ void jacobi_kernel(long N, const T *__restrict__ from, T *__restrict__ to) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x + 1;
  long i = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y + 1;
  if (i >= N - 1 || j >= N - 1)
    return;
  to[i * N + j] = static_cast<T>(0.2) * (from[i * N + j] + from[i * N + j - 1] +
                                         from[i * N + j + 1] + from[(i + 1) * N + j] +
                                         from[(i - 1) * N + j]);
}

template <typename T> void jacobi_host(long N, const std::vector<T> &from, std::vector<T> &to) {
  for (long i = 1; i < N - 1; i++)
    for (long j = 1; j < N - 1; j++)
      to[i * N + j] = static_cast<T>(0.2) * (from[i * N + j] + from[i * N + j - 1] +
                                             from[i * N + j + 1] + from[(i + 1) * N + j] +
                                             from[(i - 1) * N + j]);
}

template <typename T> bool jacobi(long N, long steps) {
  auto A = random_array<T>(N * N, 1), B = random_array<T>(N * N, 2);
  Device<T> a(A.size()), b(B.size());
  dim3 block(32, 8), grid((N - 2 + 31) / 32, (N - 2 + 7) / 8);
  auto seconds = measure(
      [&] {
        a.put(A);
        b.put(B);
      },
      [&] {
        for (long t = 0; t < steps; t++) {
          jacobi_kernel<T><<<grid, block>>>(N, a.p, b.p);
          jacobi_kernel<T><<<grid, block>>>(N, b.p, a.p);
        }
      });
  auto result = a.get();
  for (long t = 0; t < steps; t++) {
    jacobi_host(N, A, B);
    jacobi_host(N, B, A);
  }
  double worst = 0, largest = 0;
  for (size_t i = 0; i < A.size(); i++) {
    worst = std::max(worst, std::fabs(static_cast<double>(A[i]) - static_cast<double>(result[i])));
    largest = std::max(largest, std::fabs(static_cast<double>(A[i])));
  }
  char sizes[64];
  std::snprintf(sizes, sizeof sizes, "%ldx%ld", N, steps);
  double points = static_cast<double>(N - 2) * static_cast<double>(N - 2);
  return report("jacobi-2d", sizes, seconds, 10.0 * steps * points, result, worst / largest);
}

int main(int argc, char **argv) {
  auto size = [&](int n, long otherwise) {
    long value = argc > n ? std::strtol(argv[n], nullptr, 10) : otherwise;
    if (value < 3) {
      std::fprintf(stderr, "argument %d must be a number of at least 3\n", n);
      std::exit(2);
    }
    return value;
  };
  const char *what = argc > 1 ? argv[1] : "";
  if (!std::strcmp(what, "gemm")) {
    long M = size(2, 1024), N = size(3, 1024), K = size(4, 1024);
    bool good = gemm<double>(M, N, K);
    return gemm<float>(M, N, K) && good ? 0 : 1;
  }
  if (!std::strcmp(what, "jacobi-2d")) {
    long N = size(2, 4096), T = size(3, 20);
    bool good = jacobi<double>(N, T);
    return jacobi<float>(N, T) && good ? 0 : 1;
  }
  std::fprintf(stderr, "usage: %s gemm [M N K] | jacobi-2d [N T]\n", argv[0]);
  return 2;
}
