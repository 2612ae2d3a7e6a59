// CUB, cuFFT, cuSPARSE, cuRAND and kernels by hand beside `table.rs`: a line `work n seconds check
// peer` for each row. Built by `nvcc -O3 -arch=native table_peers.cu -lcufft -lcusparse -lcurand`.
// `table_peers N [WORK]` leaves out what has more than N elements. Times are the host's, of a
// launch or more and the wait for them.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <cub/cub.cuh>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

typedef size_t Size;
typedef std::function<void()> Call;

static Size most = SIZE_MAX;
static const char *only = "";

static bool asked(const char *work, Size n) { return n <= most && strstr(work, only); }

static void ok(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(1);
  }
}

static double now() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(t).count();
}

static double median(Call before, Call f) {
  before();
  f();
  ok(cudaDeviceSynchronize());
  std::vector<double> times;
  double begun = now();
  while (times.size() < 5 || (now() - begun < 0.5 && times.size() < 10000)) {
    before();
    ok(cudaDeviceSynchronize());
    double start = now();
    f();
    ok(cudaDeviceSynchronize());
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static void nothing() {}

template <class T> static T *made(Size n) {
  T *p;
  ok(cudaMalloc(&p, n * sizeof(T)));
  return p;
}

template <class T> static double check(const T *z, Size n) {
  double s = 0;
  for (Size k = 1; k <= 16; k++) {
    T v;
    ok(cudaMemcpy(&v, z + k * 2654435761ull % n, sizeof(T), cudaMemcpyDeviceToHost));
    s += double(v) * (1.0 + 0.125 * double(k));
  }
  return s;
}

static void row(const char *work, Size n, double seconds, double value, const char *peer) {
  printf("%s %zu %e %.17e %s\n", work, n, seconds, value, peer);
  fflush(stdout);
}

__device__ static Size here() { return blockIdx.x * Size(blockDim.x) + threadIdx.x; }

#define LAUNCH(kernel, n, ...) kernel<<<((n) + 255) / 256, 256>>>(__VA_ARGS__, n)

__global__ void fill(double *x, long by, Size n) {
  Size i = here();
  if (i < n) x[i] = double(long(i) * by % 1000) * 0.01 + 0.5;
}

__global__ void square(double *x, Size n) {
  Size i = here();
  if (i < n) x[i] *= x[i];
}

static double *numbers(Size n, long by) {
  double *x = made<double>(n);
  LAUNCH(fill, n, x, by);
  return x;
}

__global__ void mix(uint32_t *k, int shift, Size n) {
  Size at = here();
  if (at >= n) return;
  uint32_t i = uint32_t(at) + 1;
  i = (i ^ (i >> 15)) * 0x2c1b3c6du;
  i = (i ^ (i >> 12)) * 0x297a2d39u;
  k[at] = (i ^ (i >> 15)) >> shift;
}

__global__ void to_floats(double *z, const uint32_t *k, Size n) {
  Size i = here();
  if (i < n) z[i] = k[i] * 1e-3 - 1e6;
}

__global__ void count_up(uint32_t *k, uint32_t by, Size n) {
  Size i = here();
  if (i < n) k[i] = uint32_t(i) / by;
}

__global__ void sines(double *z, const double *x, const double *y, Size n) {
  Size i = here();
  if (i < n) z[i] = 2.0 * y[i] - sin(x[i]);
}

__global__ void sums(double *z, const double *x, const double *y, const double *w, Size n) {
  Size i = here();
  if (i < n) z[i] = 2.0 * x[i] + 3.0 * y[i] + 0.5 * w[i];
}

static void elementwise(Size n) {
  double *x = numbers(n, 1), *y = numbers(n, 7), *w = numbers(n, 3), *z = made<double>(n);
  if (asked("2y-sin", n)) {
    double t = median(nothing, [&] { LAUNCH(sines, n, z, x, y); });
    row("2y-sin", n, t, check(z, n), "CUDA by hand");
  }
  if (asked("ax+by+cz", n)) {
    double t = median(nothing, [&] { LAUNCH(sums, n, z, x, y, w); });
    row("ax+by+cz", n, t, check(z, n), "CUDA by hand");
  }
  if (asked("copy", n)) {
    double t = median(nothing, [&] { ok(cudaMemcpyAsync(z, x, n * 8, cudaMemcpyDeviceToDevice)); });
    row("copy", n, t, check(z, n), "cudaMemcpy");
  }
  for (double *p : {x, y, w, z}) ok(cudaFree(p));
}

struct Product {
  const double *x, *y;
  __device__ double operator()(Size i) const { return x[i] * y[i]; }
};

static void reductions(Size n) {
  if (!asked("dot,min,max", n)) return;
  double *x = numbers(n, 1), *y = numbers(n, 7), *out = made<double>(3), found[3];
  auto xy = thrust::make_transform_iterator(thrust::counting_iterator<Size>(0), Product{x, y});
  Size bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, xy, out, n);
  Size more = 0;
  cub::DeviceReduce::Min(nullptr, more, x, out, n);
  char *space = made<char>(bytes = std::max(bytes, more));
  double t = median(nothing, [&] {
    cub::DeviceReduce::Sum(space, bytes, xy, out, n);
    cub::DeviceReduce::Min(space, bytes, x, out + 1, n);
    cub::DeviceReduce::Max(space, bytes, x, out + 2, n);
    ok(cudaMemcpy(found, out, 24, cudaMemcpyDeviceToHost));
  });
  row("dot,min,max", n, t, found[0] + found[1] + found[2], "CUB, three passes");
  ok(cudaFree(space));
  for (double *p : {x, y, out}) ok(cudaFree(p));
}

static void scans(Size n) {
  double *x = numbers(n, 1), *z = made<double>(n);
  uint32_t *k = made<uint32_t>(n);
  LAUNCH(count_up, n, k, 10u);
  Size bytes = 0, more = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, x, z, n);
  cub::DeviceScan::InclusiveSumByKey(nullptr, more, k, x, z, n);
  char *space = made<char>(bytes = std::max(bytes, more));
  if (asked("scan", n)) {
    double t = median(nothing, [&] { cub::DeviceScan::InclusiveSum(space, bytes, x, z, n); });
    row("scan", n, t, check(z, n), "CUB");
  }
  if (asked("scan-by-key", n)) {
    double t = median(nothing, [&] { cub::DeviceScan::InclusiveSumByKey(space, bytes, k, x, z, n); });
    row("scan-by-key", n, t, check(z, n), "CUB");
  }
  ok(cudaFree(space));
  ok(cudaFree(k));
  for (double *p : {x, z}) ok(cudaFree(p));
}

template <class K> static void sort_keys(const char *work, const K *source, Size n) {
  if (!asked(work, n)) return;
  K *a = made<K>(n), *b = made<K>(n);
  Size bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, a, b, n);
  char *space = made<char>(bytes);
  auto refill = [&] { ok(cudaMemcpyAsync(a, source, n * sizeof(K), cudaMemcpyDeviceToDevice)); };
  double t = median(refill, [&] { cub::DeviceRadixSort::SortKeys(space, bytes, a, b, n); });
  row(work, n, t, check(b, n), "CUB");
  ok(cudaFree(a));
  ok(cudaFree(b));
  ok(cudaFree(space));
}

static void sorts(Size n) {
  uint32_t *k = made<uint32_t>(n);
  LAUNCH(mix, n, k, 0);
  sort_keys("sort-u32", k, n);
  double *f = made<double>(n);
  LAUNCH(to_floats, n, f, k);
  sort_keys("sort-f64", f, n);
  if (asked("sort-pairs", n)) {
    LAUNCH(mix, n, k, 8);
    uint32_t *v = made<uint32_t>(n), *k2 = made<uint32_t>(n), *v2 = made<uint32_t>(n);
    LAUNCH(count_up, n, v, 1u);
    Size bytes = 0;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, k2, v, v2, n);
    char *space = made<char>(bytes);
    double t = median(nothing, [&] { cub::DeviceRadixSort::SortPairs(space, bytes, k, k2, v, v2, n); });
    row("sort-pairs", n, t, check(v2, n), "CUB");
    ok(cudaFree(space));
    for (uint32_t *p : {v, k2, v2}) ok(cudaFree(p));
  }
  ok(cudaFree(k));
  ok(cudaFree(f));
}

static void product(const char *work, Size n, const std::vector<int> &offsets,
                    const std::vector<int> &columns, const std::vector<double> &values) {
  int *o = made<int>(offsets.size()), *c = made<int>(columns.size());
  double *v = made<double>(values.size()), *x = numbers(n, 7), *z = made<double>(n);
  LAUNCH(square, n, x);
  ok(cudaMemcpy(o, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
  ok(cudaMemcpy(c, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice));
  ok(cudaMemcpy(v, values.data(), values.size() * 8, cudaMemcpyHostToDevice));
  cusparseHandle_t h;
  cusparseCreate(&h);
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t dx, dz;
  cusparseCreateCsr(&a, n, n, values.size(), o, c, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&dx, n, x, CUDA_R_64F);
  cusparseCreateDnVec(&dz, n, z, CUDA_R_64F);
  double one = 1, zero = 0;
  Size bytes = 0;
  auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpMV_bufferSize(h, plain, &one, a, dx, &zero, dz, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  char *space = made<char>(bytes + 1);
  cusparseSpMV_preprocess(h, plain, &one, a, dx, &zero, dz, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, space);
  double t = median(nothing, [&] {
    cusparseSpMV(h, plain, &one, a, dx, &zero, dz, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, space);
  });
  row(work, n, t, check(z, n), "cuSPARSE");
  for (void *p : {(void *)o, (void *)c, (void *)v, (void *)x, (void *)z, (void *)space}) ok(cudaFree(p));
}

static void products(long side) {
  Size n = side * side;
  if (asked("spmv-5-points", n)) {
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (long i = 0; i < side; i++)
      for (long j = 0; j < side; j++) {
        long at = i * side + j;
        auto add = [&](bool there, long by, double v) {
          if (there) columns.push_back(int(at + by)), values.push_back(v);
        };
        add(i > 0, -side, -1), add(j > 0, -1, -1), add(true, 0, 4), add(j + 1 < side, 1, -1);
        add(i + 1 < side, side, -1);
        offsets.push_back(int(columns.size()));
      }
    product("spmv-5-points", n, offsets, columns, values);
  }
  n /= 4;
  if (asked("spmv-power-law", n)) {
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (uint64_t i = 0; i < n; i++) {
      uint64_t length = std::min<uint64_t>(2 + n / 16 / (1 + i * 2654435761ull % n), n);
      for (uint64_t k = 0; k < length; k++) {
        columns.push_back(int((i + 31 * k) * 2654435761ull % n));
        values.push_back(1.0 + double(k % 5) * 0.25);
      }
      offsets.push_back(int(columns.size()));
    }
    product("spmv-power-law", n, offsets, columns, values);
  }
}

__global__ void signal(cufftDoubleComplex *z, Size n) {
  Size i = here();
  if (i >= n) return;
  z[i].x = double(long(i) * 7 % 1000) * 0.01 + 0.5;
  z[i].y = double(long(i) * 3 % 1000) * 0.01 + 0.5;
}

__global__ void scale(cufftDoubleComplex *w, const cufftDoubleComplex *z, Size n) {
  Size i = here();
  if (i < n) w[i].x = 0.5 * z[i].x + 1.0, w[i].y = 0.5 * z[i].y;
}

__global__ void squares(double *out, const cufftDoubleComplex *w, Size n) {
  Size i = here();
  if (i < n) out[i] = w[i].x * w[i].x + w[i].y * w[i].y;
}

static void transforms(const char *work, int rows, int columns) {
  Size n = Size(rows) * columns;
  if (!asked(work, n)) return;
  auto *z = made<cufftDoubleComplex>(n), *w = made<cufftDoubleComplex>(n);
  double *out = made<double>(n);
  LAUNCH(signal, n, z);
  cufftHandle plan;
  if (rows > 1) cufftPlan2d(&plan, rows, columns, CUFFT_Z2Z);
  else cufftPlan1d(&plan, columns, CUFFT_Z2Z, 1);
  double t = median(nothing, [&] {
    LAUNCH(scale, n, w, z);
    cufftExecZ2Z(plan, w, w, CUFFT_FORWARD);
    LAUNCH(squares, n, out, w);
  });
  row(work, n, t, check(out, n), "cuFFT and two kernels");
  cufftDestroy(plan);
  ok(cudaFree(z));
  ok(cudaFree(w));
  ok(cudaFree(out));
}

static void random_numbers(Size n) {
  if (!asked("random", n)) return;
  double *z = made<double>(n), *out = made<double>(1), sum;
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  double t = median(nothing, [&] { curandGenerateUniformDouble(g, z, n); });
  Size bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, z, out, n);
  char *space = made<char>(bytes);
  cub::DeviceReduce::Sum(space, bytes, z, out, n);
  ok(cudaMemcpy(&sum, out, 8, cudaMemcpyDeviceToHost));
  row("random", n, t, sum / double(n), "cuRAND, Philox");
  ok(cudaFree(z));
  ok(cudaFree(out));
  ok(cudaFree(space));
}

// Rounded as written: products and sums do not become one operation.
__device__ static void step(double &x, double &y, double &z, double r) {
  double dx = __dmul_rn(10.0, __dadd_rn(y, -x));
  double dy = __dadd_rn(__dmul_rn(x, __dadd_rn(r, -z)), -y);
  double dz = __dadd_rn(__dmul_rn(x, y), -__dmul_rn(8.0 / 3.0, z));
  x = __dadd_rn(x, __dmul_rn(1e-3, dx));
  y = __dadd_rn(y, __dmul_rn(1e-3, dy));
  z = __dadd_rn(z, __dmul_rn(1e-3, dz));
}

__global__ void lorenz(double *x, double *y, double *z, long steps, Size n) {
  Size i = here();
  if (i >= n) return;
  double a = x[i], b = y[i], c = z[i], r = double(i % 100) * 0.2 + 0.5;
  for (long s = 0; s < steps; s++) step(a, b, c, r);
  x[i] = a, y[i] = b, z[i] = c;
}

static void ensemble(Size n, long steps) {
  if (!asked("lorenz", n)) return;
  double *x = numbers(n, 1), *y = numbers(n, 1), *z = numbers(n, 1);
  LAUNCH(lorenz, n, x, y, z, 500l);
  double value = check(z, n);
  double t = 1e9;
  for (int k = 0; k < 2; k++) {
    ok(cudaDeviceSynchronize());
    double start = now();
    LAUNCH(lorenz, n, x, y, z, steps);
    ok(cudaDeviceSynchronize());
    t = std::min(t, now() - start);
  }
  char work[64];
  snprintf(work, sizeof work, "lorenz-%ld", steps);
  row(work, n, t, value, "CUDA by hand");
  for (double *p : {x, y, z}) ok(cudaFree(p));
}

int main(int argc, char **argv) {
  if (argc > 1) most = strtoull(argv[1], nullptr, 10);
  if (argc > 2) only = argv[2];
  for (Size n : {Size(1) << 16, Size(1) << 20, Size(1) << 27}) {
    if (n <= most) elementwise(n);
  }
  reductions(Size(1) << 27);
  for (Size n : {Size(1) << 20, Size(1) << 27})
    if (n <= most) scans(n), sorts(n);
  products(4096);
  transforms("fft-2^24", 1, 1 << 24);
  transforms("fft-4096^2", 4096, 4096);
  transforms("fft-1000003", 1, 1000003);
  random_numbers(Size(1) << 28);
  ensemble(Size(1) << 20, 100000);
}
