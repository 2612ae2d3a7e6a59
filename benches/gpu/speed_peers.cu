// What benches/gpu/speed.py is held against, in the same run: the vendor's library for
// matrix products and matrix-vector products, and CUDA as a programmer writes it first for
// stencils and bodies, one thread for each element, compiled by nvcc -O3.
//
//     nvcc -O3 -arch=native benches/gpu/speed_peers.cu -lcublas -o target/speed_peers
//     target/speed_peers [NAME...]
//
// A line for each: the name and sizes that speed.py has, and the median in milliseconds of
// REPEAT (5) calls with data on the device. What is written here is checked against a
// computation on the host at a small size; the library is trusted.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define CUDA(call)                                                                                 \
  do {                                                                                             \
    cudaError_t status_ = (call);                                                                  \
    if (status_ != cudaSuccess) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(status_));                                                   \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)
#define BLAS(call)                                                                                 \
  do {                                                                                             \
    cublasStatus_t status_ = (call);                                                               \
    if (status_ != CUBLAS_STATUS_SUCCESS) {                                                        \
      std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call,                    \
                   static_cast<int>(status_));                                                     \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

template <typename T>
constexpr bool is_of_16 = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <typename T> __global__ void fill(T *p, size_t n, unsigned seed) {
  size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) {
    unsigned x = (static_cast<unsigned>(i) + seed) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    if constexpr (is_of_16<T>)
      p[i] = static_cast<T>((x >> 8) * (1.0f / 16777216.0f));
    else
      p[i] = static_cast<T>(x >> 8) * static_cast<T>(1.0 / 16777216.0);
  }
}

// An array on the device, of numbers in [0, 1).
template <typename T> struct Array {
  T *p = nullptr;
  size_t n;
  Array(size_t count, unsigned seed) : n(count) {
    CUDA(cudaMalloc(&p, n * sizeof(T)));
    if constexpr (std::is_floating_point_v<T> || is_of_16<T>)
      fill<T><<<static_cast<unsigned>((n + 255) / 256), 256>>>(p, n, seed);
    CUDA(cudaGetLastError());
  }
  ~Array() { cudaFree(p); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
};

template <typename F> void time(const char *name, const std::string &sizes, F launch) {
  const char *text = std::getenv("REPEAT");
  int count = std::max(1, text ? std::atoi(text) : 5);
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  std::vector<float> all;
  for (int i = -1; i < count; i++) {
    CUDA(cudaEventRecord(start));
    launch();
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(stop));
    CUDA(cudaEventSynchronize(stop));
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    if (i >= 0)
      all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  std::printf("%s %s %.4f\n", name, sizes.c_str(), all[all.size() / 2]);
  std::fflush(stdout);
}

__global__ void jacobi_2d(long n, const double *__restrict__ a, double *__restrict__ b) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x + 1;
  long i = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y + 1;
  if (i < n - 1 && j < n - 1)
    b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] +
                          a[(i - 1) * n + j]);
}

__host__ __device__ inline double heat(const double *a, long n, long x) {
  return 0.125 * (a[x + n * n] - 2.0 * a[x] + a[x - n * n]) +
         0.125 * (a[x + n] - 2.0 * a[x] + a[x - n]) + 0.125 * (a[x + 1] - 2.0 * a[x] + a[x - 1]) +
         a[x];
}

__global__ void heat_3d(long n, const double *__restrict__ a, double *__restrict__ b) {
  long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x + 1;
  long j = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y + 1;
  long i = blockIdx.z * static_cast<long>(blockDim.z) + threadIdx.z + 1;
  if (i < n - 1 && j < n - 1 && k < n - 1)
    b[(i * n + j) * n + k] = heat(a, n, (i * n + j) * n + k);
}

__global__ void fdtd_row(long ny, double value, double *__restrict__ ey) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (j < ny)
    ey[j] = value;
}

__global__ void fdtd_fields(long nx, long ny, double *__restrict__ ex, double *__restrict__ ey,
                            const double *__restrict__ hz, bool first) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  long i = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  long x = i * ny + j;
  if (first && i > 0)
    ey[x] -= 0.5 * (hz[x] - hz[x - ny]);
  if (!first && j > 0)
    ex[x] -= 0.5 * (hz[x] - hz[x - 1]);
}

__global__ void fdtd_hz(long nx, long ny, const double *__restrict__ ex,
                        const double *__restrict__ ey, double *__restrict__ hz) {
  long j = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  long i = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y;
  if (i < nx - 1 && j < ny - 1) {
    long x = i * ny + j;
    hz[x] -= 0.7 * (ex[x + 1] - ex[x] + ey[x + ny] - ey[x]);
  }
}

// The sweep without its residual. a has 4 planes, b and c have 3 of n elements each.
__host__ __device__ inline float pressure(const float *p, const float *a, const float *b,
                                          const float *c, const float *bnd, const float *wrk1,
                                          size_t n, long row, long plane, size_t x) {
  float s0 = a[x] * p[x + plane] + a[n + x] * p[x + row] + a[2 * n + x] * p[x + 1] +
             b[x] * (p[x + plane + row] - p[x + plane - row] - p[x - plane + row] +
                     p[x - plane - row]) +
             b[n + x] * (p[x + row + 1] - p[x - row + 1] - p[x + row - 1] + p[x - row - 1]) +
             b[2 * n + x] *
                 (p[x + plane + 1] - p[x - plane + 1] - p[x + plane - 1] + p[x - plane - 1]) +
             c[x] * p[x - plane] + c[n + x] * p[x - row] + c[2 * n + x] * p[x - 1] + wrk1[x];
  float ss = (s0 * a[3 * n + x] - p[x]) * bnd[x];
  return p[x] + 0.8f * ss;
}

__global__ void himeno_sweep(int ni, int nj, int nk, const float *__restrict__ p,
                             const float *__restrict__ a, const float *__restrict__ b,
                             const float *__restrict__ c, const float *__restrict__ bnd,
                             const float *__restrict__ wrk1, float *__restrict__ wrk2) {
  int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int i = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i >= ni - 1 || j >= nj - 1 || k >= nk - 1)
    return;
  size_t n = static_cast<size_t>(ni) * nj * nk, x = (static_cast<size_t>(i) * nj + j) * nk + k;
  wrk2[x] = pressure(p, a, b, c, bnd, wrk1, n, nk, static_cast<long>(nj) * nk, x);
}

__global__ void himeno_copy(int ni, int nj, int nk, const float *__restrict__ wrk2,
                            float *__restrict__ p) {
  int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int i = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i < ni - 1 && j < nj - 1 && k < nk - 1) {
    size_t x = (static_cast<size_t>(i) * nj + j) * nk + k;
    p[x] = wrk2[x];
  }
}

// Forces on bodies at (x, y, z) with mass w, other bodies staged by the block.
__global__ void nbody(int n, const float4 *__restrict__ at, float4 *__restrict__ force) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = at[min(i, n - 1)];
  float fx = 0, fy = 0, fz = 0;
  for (int begin = 0; begin < n; begin += 256) {
    int count = min(256, n - begin);
    if (static_cast<int>(threadIdx.x) < count)
      tile[threadIdx.x] = at[begin + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < count; j++) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      float s = tile[j].w * r * r * r;
      fx += s * dx;
      fy += s * dy;
      fz += s * dz;
    }
    __syncthreads();
  }
  if (i < n)
    force[i] = make_float4(fx, fy, fz, 0);
}

dim3 grid_of(long x, long y, long z, dim3 b) {
  return dim3((x + b.x - 1) / b.x, (y + b.y - 1) / b.y, (z + b.z - 1) / b.z);
}

std::string text(std::initializer_list<long> sizes) {
  std::string s;
  for (long n : sizes)
    s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

struct Blas {
  cublasHandle_t h;
  Blas() { BLAS(cublasCreate(&h)); }
  ~Blas() { cublasDestroy(h); }

  // The library's matrices have columns first; for square ones that changes nothing of the time.
  void products(const char *name, int n) {
    std::string which = name;
    size_t all = static_cast<size_t>(n) * n;
    Array<double> a(all, 1), b(all, 2), c(all, 3);
    const double one = 1.5, two = 1.2;
    auto gemm = [&](cublasOperation_t t) {
      BLAS(cublasDgemm(h, t, CUBLAS_OP_N, n, n, n, &one, a.p, n, b.p, n, &two, c.p, n));
    };
    const auto low = CUBLAS_FILL_MODE_LOWER;
    const auto as_is = CUBLAS_OP_N;
    std::string sizes = text({n, n});
    if (which == "gemm")
      time(name, text({n, n, n}), [&] { gemm(as_is); });
    else if (which == "2mm")
      time(name, text({n, n, n, n}), [&] { gemm(as_is), gemm(as_is); });
    else if (which == "3mm")
      time(name, text({n, n, n, n, n}), [&] { gemm(as_is), gemm(as_is), gemm(as_is); });
    else if (which == "syrk" || which == "covariance" || which == "correlation")
      time(name, sizes, [&] {
        BLAS(cublasDsyrk(h, low, which == "syrk" ? as_is : CUBLAS_OP_T, n, n, &one, a.p, n, &two,
                         c.p, n));
      });
    else if (which == "syr2k")
      time(name, sizes, [&] {
        BLAS(cublasDsyr2k(h, low, as_is, n, n, &one, a.p, n, b.p, n, &two, c.p, n));
      });
    else if (which == "symm")
      time(name, sizes, [&] {
        BLAS(cublasDsymm(h, CUBLAS_SIDE_LEFT, low, n, n, &one, a.p, n, b.p, n, &two, c.p, n));
      });
    else if (which == "trmm")
      time(name, sizes, [&] {
        BLAS(cublasDtrmm(h, CUBLAS_SIDE_LEFT, low, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, n, &one, a.p,
                         n, b.p, n, c.p, n));
      });
  }

  void gemm_f32(int n) {
    size_t all = static_cast<size_t>(n) * n;
    Array<float> a(all, 1), b(all, 2), c(all, 3);
    const float one = 1.5f, two = 1.2f;
    time("gemm_f32", text({n, n, n}), [&] {
      BLAS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, n, b.p, n, &two, c.p, n));
    });
  }

  // Factors of 16 bits, sums of f32: `T` and `type` are the factors', `S` and `sums` the result's.
  template <typename T, typename S>
  void gemm_16(const char *name, int n, cudaDataType type, cudaDataType sums) {
    size_t all = static_cast<size_t>(n) * n;
    Array<T> a(all, 1), b(all, 2);
    Array<S> c(all, 3);
    const float one = 1.5f, two = 1.2f;
    time(name, text({n, n, n}), [&] {
      BLAS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, type, n, b.p, type, n, &two,
                        c.p, sums, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    });
  }

  void doitgen(int nr, int nq, int np) {
    int rows = nr * nq;
    Array<double> a(static_cast<size_t>(rows) * np, 1), c(static_cast<size_t>(np) * np, 2),
        sum(static_cast<size_t>(rows) * np, 3);
    const double one = 1.0, zero = 0.0;
    time("doitgen", text({nr, nq, np}), [&] {
      BLAS(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, np, rows, np, &one, c.p, np, a.p, np, &zero,
                       sum.p, np));
      CUDA(cudaMemcpyAsync(a.p, sum.p, a.n * sizeof(double), cudaMemcpyDeviceToDevice));
    });
  }

  // As many products with a vector as the program has.
  void vectors(const char *name, int n) {
    std::string which = name;
    size_t all = static_cast<size_t>(n) * n;
    Array<double> a(all, 1), x(n, 3), y(n, 4), z(n, 5), w(n, 6);
    const double one = 1.5, two = 1.2;
    auto gemv = [&](cublasOperation_t t, double *m, double *in, double *out) {
      BLAS(cublasDgemv(h, t, n, n, &one, m, n, in, 1, &two, out, 1));
    };
    bool squares = which == "atax" || which == "bicg";
    std::string sizes = squares ? text({n, n}) : text({n});
    if (which == "gesummv") {
      Array<double> b(all, 2);
      time(name, sizes, [&] {
        gemv(CUBLAS_OP_T, a.p, x.p, y.p), gemv(CUBLAS_OP_T, b.p, x.p, y.p);
      });
    } else if (which == "gemver") {
      time(name, sizes, [&] {
        BLAS(cublasDger(h, n, n, &one, x.p, 1, y.p, 1, a.p, n));
        BLAS(cublasDger(h, n, n, &one, z.p, 1, w.p, 1, a.p, n));
        gemv(CUBLAS_OP_N, a.p, x.p, y.p), gemv(CUBLAS_OP_T, a.p, y.p, z.p);
      });
    } else {
      time(name, sizes, [&] {
        gemv(CUBLAS_OP_T, a.p, x.p, y.p), gemv(CUBLAS_OP_N, a.p, z.p, w.p);
      });
    }
  }
};

// The elements of a small array, and whether they are `want`.
template <typename T> std::vector<T> all(const Array<T> &a) {
  std::vector<T> v(a.n);
  CUDA(cudaMemcpy(v.data(), a.p, a.n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
template <typename T> void expect(const char *name, const Array<T> &have, const std::vector<T> &want) {
  std::vector<T> v = all(have);
  for (size_t x = 0; x < v.size(); x++)
    if (!(std::fabs(v[x] - want[x]) <= 1e-5 * std::max<T>(1, std::fabs(want[x])))) {
      std::fprintf(stderr, "%s: element %zu is %.17g, expected %.17g\n", name, x,
                   static_cast<double>(v[x]), static_cast<double>(want[x]));
      std::exit(1);
    }
}

void stencil_2d(long n, int steps, bool check) {
  Array<double> a(n * n, 1), b(n * n, 1);
  dim3 block(32, 8), grid = grid_of(n - 2, n - 2, 1, block);
  auto step = [&] {
    jacobi_2d<<<grid, block>>>(n, a.p, b.p);
    jacobi_2d<<<grid, block>>>(n, b.p, a.p);
  };
  if (!check)
    return time("jacobi-2d", text({n}), [&] {
      for (int t = 0; t < steps; t++)
        step();
    });
  auto from = all(a), to = all(b);
  step();
  for (int half = 0; half < 2; half++, from.swap(to))
    for (long i = 1; i < n - 1; i++)
      for (long x = i * n + 1; x < i * n + n - 1; x++)
        to[x] = 0.2 * (from[x] + from[x - 1] + from[x + 1] + from[x + n] + from[x - n]);
  expect("jacobi-2d", a, from);
}

void stencil_3d(long n, int steps, bool check) {
  Array<double> a(n * n * n, 1), b(n * n * n, 1);
  dim3 block(32, 4, 2), grid = grid_of(n - 2, n - 2, n - 2, block);
  auto step = [&] {
    heat_3d<<<grid, block>>>(n, a.p, b.p);
    heat_3d<<<grid, block>>>(n, b.p, a.p);
  };
  if (!check)
    return time("heat-3d", text({n}), [&] {
      for (int t = 0; t < steps; t++)
        step();
    });
  auto from = all(a), to = all(b);
  step();
  for (int half = 0; half < 2; half++, from.swap(to))
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        for (long x = (i * n + j) * n + 1; x < (i * n + j) * n + n - 1; x++)
          to[x] = heat(from.data(), n, x);
  expect("heat-3d", a, from);
}

void fdtd(long nx, long ny, int steps, bool check) {
  Array<double> ex(nx * ny, 1), ey(nx * ny, 2), hz(nx * ny, 3);
  dim3 block(32, 8), grid = grid_of(ny, nx, 1, block);
  auto step = [&](int t) {
    fdtd_row<<<static_cast<unsigned>((ny + 255) / 256), 256>>>(ny, t, ey.p);
    fdtd_fields<<<grid, block>>>(nx, ny, ex.p, ey.p, hz.p, true);
    fdtd_fields<<<grid, block>>>(nx, ny, ex.p, ey.p, hz.p, false);
    fdtd_hz<<<grid, block>>>(nx, ny, ex.p, ey.p, hz.p);
  };
  if (!check)
    return time("fdtd-2d", text({nx, ny}), [&] {
      for (int t = 0; t < steps; t++)
        step(t);
    });
  auto x = all(ex), y = all(ey), z = all(hz);
  step(7);
  for (long at = 0; at < nx * ny; at++) {
    y[at] = at < ny ? 7 : y[at] - 0.5 * (z[at] - z[at - ny]);
    x[at] -= at % ny ? 0.5 * (z[at] - z[at - 1]) : 0;
  }
  for (long at = 0; at < (nx - 1) * ny; at++)
    if (at % ny < ny - 1)
      z[at] -= 0.7 * (x[at + 1] - x[at] + y[at + ny] - y[at]);
  expect("fdtd-2d", ex, x);
  expect("fdtd-2d", ey, y);
  expect("fdtd-2d", hz, z);
}

void himeno(int ni, int nj, int nk, int steps, bool check) {
  size_t n = static_cast<size_t>(ni) * nj * nk;
  Array<float> p(n, 1), a(4 * n, 2), b(3 * n, 3), c(3 * n, 4), bnd(n, 5), wrk1(n, 6), wrk2(n, 7);
  dim3 block(64, 4, 1), grid = grid_of(nk - 2, nj - 2, ni - 2, block);
  auto step = [&] {
    himeno_sweep<<<grid, block>>>(ni, nj, nk, p.p, a.p, b.p, c.p, bnd.p, wrk1.p, wrk2.p);
    himeno_copy<<<grid, block>>>(ni, nj, nk, wrk2.p, p.p);
  };
  if (!check)
    return time("himeno_f32", text({ni, nj, nk}), [&] {
      for (int t = 0; t < steps; t++)
        step();
    });
  auto hp = all(p), to = hp, ha = all(a), hb = all(b), hc = all(c), hbnd = all(bnd), hw = all(wrk1);
  step();
  for (long i = 1; i < ni - 1; i++)
    for (long j = 1; j < nj - 1; j++)
      for (size_t x = (i * nj + j) * nk + 1; x < static_cast<size_t>((i * nj + j) * nk + nk - 1); x++)
        to[x] = pressure(hp.data(), ha.data(), hb.data(), hc.data(), hbnd.data(), hw.data(), n, nk,
                         static_cast<long>(nj) * nk, x);
  expect("himeno_f32", p, to);
}

void bodies(int n, int steps, bool check) {
  Array<float4> at(n, 1), force(n, 2);
  fill<float><<<(4 * n + 255) / 256, 256>>>(reinterpret_cast<float *>(at.p), 4 * n, 5);
  auto step = [&] { nbody<<<(n + 255) / 256, 256>>>(n, at.p, force.p); };
  if (!check)
    return time("nbody_f32", text({n}), [&] {
      for (int t = 0; t < steps; t++)
        step();
    });
  step();
  std::vector<float4> b(n), f(n);
  CUDA(cudaMemcpy(b.data(), at.p, n * sizeof(float4), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(f.data(), force.p, n * sizeof(float4), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double x = 0;
    for (int j = 0; j < n; j++) {
      double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
      double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3);
      x += b[j].w * r * r * r * dx;
    }
    if (!(std::fabs(f[i].x - x) <= 1e-3 * std::max(1.0, std::fabs(x)))) {
      std::fprintf(stderr, "nbody: body %d has %g, expected %g\n", i, f[i].x, x);
      std::exit(1);
    }
  }
}

int main(int argc, char **argv) {
  auto wanted = [&](const char *name) {
    if (argc < 2)
      return true;
    for (int i = 1; i < argc; i++)
      if (!std::strcmp(argv[i], name))
        return true;
    return false;
  };
  Blas blas;
  for (const char *name :
       {"gemm", "2mm", "3mm", "syrk", "syr2k", "covariance", "correlation", "symm", "trmm"})
    if (wanted(name)) {
      std::string which = name;
      blas.products(name, 4096);
      if (which == "gemm")
        blas.products(name, 8192);
    }
  if (wanted("gemm_f32"))
    blas.gemm_f32(4096);
  if (wanted("gemm_f16"))
    blas.gemm_16<__half, float>("gemm_f16", 4096, CUDA_R_16F, CUDA_R_32F);
  if (wanted("gemm_bf16"))
    blas.gemm_16<__nv_bfloat16, __nv_bfloat16>("gemm_bf16", 4096, CUDA_R_16BF, CUDA_R_16BF);
  if (wanted("doitgen"))
    blas.doitgen(220, 250, 270);
  for (const char *name : {"atax", "bicg", "mvt", "gesummv", "gemver"})
    if (wanted(name))
      blas.vectors(name, 16384);
  // Each is checked at a small size, then timed.
  for (bool check : {true, false}) {
    if (wanted("jacobi-2d"))
      stencil_2d(check ? 131 : 16384, 3, check);
    if (wanted("heat-3d"))
      stencil_3d(check ? 37 : 640, 3, check);
    if (wanted("fdtd-2d"))
      fdtd(check ? 70 : 16384, check ? 45 : 16384, 2, check);
    if (wanted("nbody_f32"))
      bodies(check ? 700 : 131072, 1, check);
    if (wanted("himeno_f32"))
      himeno(check ? 17 : 256, check ? 20 : 128, check ? 70 : 128, 10, check);
  }
  if (wanted("himeno_f32")) {
    himeno(512, 256, 256, 10, false);
    himeno(1024, 512, 512, 5, false);
  }
}
