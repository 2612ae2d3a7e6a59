// The kernels: launch shape, arguments, work.
#pragma once

#include <cuda_runtime.h>
#include <vector>

enum class Type { F32, F64, F16, I32, U8 };
// What the operations run on.
enum class Unit { F32, F64, Tensor, TensorF64 };

struct Arg {
  enum Kind { Buffer, Int, Float } kind = Int;
  long i = 0;
  double f = 0;
  Type type = Type::F32;
  size_t count = 0;
  // The dynamic sizes of the memref, then its dynamic strides; none where it is static.
  std::vector<long> sizes;
  // Elements at the start are uniform in [low, high); or low + i * ramp.
  double low = 0, high = 0, ramp = 0;
  bool out = false;
};

inline Arg integer(long i) {
  Arg a;
  a.i = i;
  return a;
}
inline Arg real(double f) {
  Arg a;
  a.kind = Arg::Float;
  a.f = f;
  return a;
}
inline Arg buffer(Type type, size_t count, std::vector<long> sizes, double low, double high, bool out) {
  Arg a;
  a.kind = Arg::Buffer;
  a.type = type;
  a.count = count;
  a.sizes = std::move(sizes);
  a.low = low;
  a.high = high;
  a.out = out;
  return a;
}
// A vector and a matrix of dynamic sizes; `fixed` of static ones.
inline Arg vec(Type t, long n, double low, double high) { return buffer(t, n, {n}, low, high, false); }
inline Arg mat(Type t, long m, long n, double low, double high) {
  return buffer(t, size_t(m) * n, {m, n, n}, low, high, false);
}
inline Arg cube(Type t, long l, long m, long n, double low, double high) {
  return buffer(t, size_t(l) * m * n, {l, m, n, m * n, n}, low, high, false);
}
inline Arg fixed(Type t, size_t n, double low, double high) { return buffer(t, n, {}, low, high, false); }
inline Arg ramp(Arg a, double step) {
  a.ramp = step;
  return a;
}
inline Arg out(Arg a) {
  a.out = true;
  return a;
}

struct Kernel {
  const char *name;
  dim3 grid, block;
  std::vector<Arg> args;
  // Compulsory traffic and arithmetic of one launch.
  double bytes, flops;
  Unit unit = Unit::F32;
  // Allowed |a - b| / max(|a|, scale); of integers, the share that may differ.
  double tolerance = 0, scale = 1;
};

inline std::vector<Kernel> table() {
  constexpr Type F32 = Type::F32, F64 = Type::F64;
  auto up = [](long n, long by) { return unsigned((n + by - 1) / by); };
  std::vector<Kernel> k;
  {
    long n = 33554432 - 5;
    k.push_back({"axpy", {up(n, 256)}, {256},
                 {integer(n), real(1.5), vec(F32, n, -1, 1), out(vec(F32, n, -1, 1))}, 12.0 * n, 2.0 * n});
  }
  {
    long n = triad_N;
    k.push_back({"triad", {unsigned(n / 1024)}, {256},
                 {real(1.5), out(fixed(F32, n, 0, 0)), fixed(F32, n, -1, 1), fixed(F32, n, -1, 1)}, 12.0 * n,
                 2.0 * n});
  }
  {
    long n = 50000001;
    k.push_back({"dot", {1056}, {256},
                 {integer(n), vec(F32, n, 0, 1), vec(F32, n, 0, 1), out(fixed(F32, 1, 0, 0))}, 8.0 * n, 2.0 * n,
                 Unit::F32, 1e-5});
  }
  {
    long m = 20011, n = 4099;
    k.push_back({"rowsum", {up(m, 8)}, {256},
                 {integer(m), integer(n), mat(F32, m, n, -1, 1), out(vec(F32, m, 0, 0))}, 4.0 * m * n, 1.0 * m * n,
                 Unit::F32, 1e-5});
  }
  {
    long m = 8192, n = 8200;
    k.push_back({"gemv", {up(n, 128), up(m, 128)}, {128},
                 {integer(m), integer(n), mat(F32, m, n, -1, 1), vec(F32, m, -1, 1), out(vec(F32, n, 0, 0))},
                 4.0 * m * n, 2.0 * m * n, Unit::F32, 1e-4});
  }
  {
    long m = 1000, n = 1056, l = 1003;
    k.push_back({"gemm_naive", {up(n, 32), up(m, 8)}, {32, 8},
                 {integer(m), integer(n), integer(l), mat(F32, m, l, -1, 1), mat(F32, l, n, -1, 1),
                  out(mat(F32, m, n, 0, 0))},
                 4.0 * (m * l + l * n + m * n), 2.0 * m * n * l, Unit::F32, 1e-5});
  }
  {
    long n = gemm_tiled_N;
    k.push_back({"gemm_tiled", {unsigned(n / 32), unsigned(n / 32)}, {32, 32},
                 {fixed(F32, n * n, -1, 1), fixed(F32, n * n, -1, 1), out(fixed(F32, n * n, 0, 0))}, 12.0 * n * n,
                 2.0 * n * n * n, Unit::F32, 1e-5});
  }
  {
    long n = gemm_block_N;
    k.push_back({"gemm_block", {unsigned(n / 128), unsigned(n / 128)}, {256},
                 {fixed(F32, n * n, -1, 1), fixed(F32, n * n, -1, 1), out(fixed(F32, n * n, 0, 0))}, 12.0 * n * n,
                 2.0 * n * n * n, Unit::F32, 1e-5});
  }
  {
    long m = 2048, n = 1920, l = 1024;
    k.push_back({"gemm_f64", {unsigned(n / 64), unsigned(m / 64)}, {16, 16},
                 {integer(n), integer(l), mat(F64, m, l, -1, 1), mat(F64, l, n, -1, 1), out(mat(F64, m, n, 0, 0))},
                 8.0 * (m * l + l * n + m * n), 2.0 * m * n * l, Unit::F64, 1e-13});
  }
  {
    long m = 8191, n = 8200;
    k.push_back({"transpose", {up(n, 32), up(m, 32)}, {32, 8},
                 {integer(m), integer(n), mat(F32, m, n, -1, 1), out(mat(F32, n, m, 0, 0))}, 8.0 * m * n, 0});
  }
  {
    long n = 6001;
    k.push_back({"jacobi2d", {up(n - 2, 32), up(n - 2, 8)}, {32, 8},
                 {integer(n), mat(F64, n, n, -1, 1), out(mat(F64, n, n, 0, 0))}, 16.0 * n * n, 5.0 * n * n, Unit::F64,
                 1e-14});
  }
  {
    long n = stencil_shared_N, m = stencil_shared_M;
    k.push_back({"stencil_shared", {unsigned(n / 32), unsigned(n / 8)}, {32, 8},
                 {fixed(F32, m * m, -1, 1), out(fixed(F32, m * m, 0, 0))}, 8.0 * n * n, 7.0 * n * n, Unit::F32, 1e-6});
  }
  {
    long n = 301;
    k.push_back({"heat3d", {up(n - 2, 32), up(n - 2, 4), up(n - 2, 2)}, {32, 4, 2},
                 {integer(n), cube(F64, n, n, n, -1, 1), out(cube(F64, n, n, n, 0, 0))}, 16.0 * n * n * n,
                 12.0 * n * n * n, Unit::F64, 1e-14});
  }
  {
    long m = himeno_I, n = himeno_J, l = himeno_K;
    size_t points = size_t(m) * n * l;
    k.push_back({"himeno", {up(l - 2, 64), up(n - 2, 4), unsigned(m - 2)}, {64, 4},
                 {fixed(F32, points, 0, 1), fixed(F32, 4 * points, 0, 1), fixed(F32, 3 * points, 0, 1),
                  fixed(F32, 3 * points, 0, 1), fixed(F32, points, 0, 1), fixed(F32, points, 0, 1),
                  out(fixed(F32, points, 0, 0))},
                 56.0 * points, 34.0 * points, Unit::F32, 1e-5});
  }
  {
    long m = 4001, n = 5003;
    k.push_back({"conv5x5", {up(n, 32), up(m, 8)}, {32, 8},
                 {integer(m), integer(n), mat(F32, m + 4, n + 4, -1, 1), fixed(F32, 25, -1, 1),
                  out(mat(F32, m, n, 0, 0))},
                 8.0 * m * n, 50.0 * m * n, Unit::F32, 1e-5});
  }
  {
    long n = 33792;
    k.push_back({"nbody", {unsigned(n / 256)}, {256},
                 {integer(n), buffer(F32, n * 4, {n}, 0, 1, false), out(buffer(F32, n * 4, {n}, 0, 0, false))},
                 32.0 * n, 20.0 * n * n, Unit::F32, 1e-4, 1e3});
  }
  {
    long n = 100000001;
    k.push_back({"histogram", {1056}, {256},
                 {integer(n), vec(Type::U8, n, 0, 256), out(fixed(Type::I32, 256, 0, 0))}, 1.0 * n, 0});
  }
  {
    long n = 33554432 - 11;
    k.push_back({"scan", {up(n, 256)}, {256},
                 {integer(n), vec(Type::I32, n, -100, 100), out(vec(Type::I32, n, 0, 0)),
                  out(vec(Type::I32, up(n, 256), 0, 0))},
                 8.0 * n, 1.0 * n});
  }
  {
    long m = 32767;
    k.push_back({"softmax", {up(m, 4)}, {128},
                 {integer(m), buffer(F32, m * 1024, {m}, -5, 5, false), out(buffer(F32, m * 1024, {m}, 0, 0, false))},
                 8192.0 * m, 5120.0 * m, Unit::F32, 1e-5, 1e-6});
  }
  {
    long n = 16777213;
    k.push_back({"blackscholes", {up(n, 256)}, {256},
                 {integer(n), real(0.02), real(0.3), vec(F32, n, 5, 30), vec(F32, n, 1, 100), vec(F32, n, 0.25, 10),
                  out(vec(F32, n, 0, 0)), out(vec(F32, n, 0, 0))},
                 20.0 * n, 80.0 * n, Unit::F32, 1e-5, 100});
  }
  {
    long n = 6001, step = 100;
    double left = double(n - step - 1) * (n - step - 1);
    k.push_back({"lu_update", {up(n - step - 1, 32), up(n - step - 1, 8)}, {32, 8},
                 {integer(n), integer(step), out(mat(F64, n, n, -1, 1))}, 16 * left, 2 * left, Unit::F64, 1e-14});
  }
  {
    long m = 2048, n = 3072;
    // Points at the border of the set may leave it earlier or later by rounding.
    k.push_back({"mandelbrot", {up(n, 32), up(m, 8)}, {32, 8},
                 {integer(m), integer(n), real(-2.25), real(-1.25), real(2.5 / 2048), out(mat(Type::I32, m, n, 0, 0))},
                 4.0 * m * n, 0, Unit::F32, 0.01});
  }
  {
    long n = 4000000, each = 8;
    k.push_back({"spmv", {up(n, 128)}, {128},
                 {integer(n), ramp(vec(Type::I32, n + 1, 0, 0), each), vec(Type::I32, n * each, 0, n),
                  vec(F32, n * each, -1, 1), vec(F32, n, -1, 1), out(vec(F32, n, 0, 0))},
                 8.0 * n * each + 12.0 * n, 2.0 * n * each, Unit::F32, 1e-5});
  }
  {
    long n = gemm_f16_N;
    k.push_back({"gemm_f16", {unsigned(n / 64), unsigned(n / 64)}, {128},
                 {fixed(Type::F16, n * n, -1, 1), fixed(Type::F16, n * n, -1, 1), out(fixed(F32, n * n, 0, 0))},
                 8.0 * n * n, 2.0 * n * n * n, Unit::Tensor, 1e-4});
  }
  {
    long n = gemm_f64_mma_N;
    k.push_back({"gemm_f64_mma", {unsigned(n / 32), unsigned(n / 64)}, {128},
                 {fixed(F64, n * n, -1, 1), fixed(F64, n * n, -1, 1), out(fixed(F64, n * n, 0, 0))}, 24.0 * n * n,
                 2.0 * n * n * n, Unit::TensorF64, 1e-12});
  }
  return k;
}
