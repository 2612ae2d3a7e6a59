// Runs the kernels of kernels/ as nvcc and as terrace compiled them, compares what they
// compute, and times them side by side:
//
//     run DIR
//
// DIR has NAME.nvcc.cubin, NAME.terrace.cubin and what the assembler said of each
// (NAME.nvcc.log, NAME.terrace.log). run.sh builds all of it.

#include "sizes.h"
#include "table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <string>
#include <vector>

// Peaks of an H200 SXM, for the floors that are printed.
constexpr double BYTES_PER_US = 4.0e6, F32_PER_US = 66.9e6, F64_PER_US = 33.5e6, TENSOR_PER_US = 989e6,
                 TENSOR_F64_PER_US = 66.9e6;
constexpr int WARM_UPS = 5, RUNS = 31;
// More than the L2 cache holds; written before each timed launch.
constexpr size_t FLUSH_BYTES = 160 << 20;

static void check(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  const char *name = "?";
  cuGetErrorName(r, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(2);
}

static size_t bytes_of(Type t) { return t == Type::F64 ? 8 : t == Type::F16 ? 2 : t == Type::U8 ? 1 : 4; }

// A number from the place of an element: the same for both compilers.
__device__ unsigned hashed(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return unsigned((x ^ (x >> 31)) >> 16);
}

__global__ void fill(void *to, Type type, double low, double high, double ramp, size_t n, unsigned seed) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += step) {
    double v = low + (high - low) * (hashed(i + (size_t(seed) << 40) + 1) / 4294967296.0) + ramp * i;
    switch (type) {
    case Type::F64: ((double *)to)[i] = v; break;
    case Type::F32: ((float *)to)[i] = float(v); break;
    case Type::F16: asm("cvt.rn.f16.f32 %0, %1;" : "=h"(((unsigned short *)to)[i]) : "f"(float(v))); break;
    case Type::I32: ((int *)to)[i] = int(floor(v)); break;
    case Type::U8: ((unsigned char *)to)[i] = (unsigned char)v; break;
    }
  }
}

// One compiler's version.
struct Version {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  int registers = 0, local = 0, spills = 0;

  void load(const std::string &dir, const std::string &name, const char *compiler) {
    std::string stem = dir + "/" + name + "." + compiler;
    check(cuModuleLoad(&module, (stem + ".cubin").c_str()), stem.c_str());
    check(cuModuleGetFunction(&function, module, name.c_str()), stem.c_str());
    cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    FILE *log = fopen((stem + ".log").c_str(), "r");
    char line[512];
    while (log && fgets(line, sizeof line, log)) {
      int stores, loads;
      const char *at = strstr(line, "bytes stack frame, ");
      if (at && sscanf(at, "bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stores, &loads) == 2)
        spills += stores + loads;
    }
    if (log) fclose(log);
  }
};

static double half(unsigned short bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double v = exponent == 31 ? (fraction ? NAN : INFINITY)
             : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                            : std::ldexp(fraction, -24);
  return bits >> 15 ? -v : v;
}

static double element(const char *p, Type t, size_t i) {
  switch (t) {
  case Type::F64: return ((const double *)p)[i];
  case Type::F32: return ((const float *)p)[i];
  case Type::F16: return half(((const unsigned short *)p)[i]);
  case Type::I32: return ((const int *)p)[i];
  case Type::U8: return ((const unsigned char *)p)[i];
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "run DIR [NAME...]\n"), 2;
  const std::string dir = argv[1];
  cudaFree(nullptr);
  char *flush;
  if (cudaMalloc(&flush, FLUSH_BYTES) != cudaSuccess) return fprintf(stderr, "no memory\n"), 2;
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("%s; median of %d runs each, interleaved, L2 flushed before each\n", properties.name, RUNS);
  printf("%-15s %10s %10s %6s  %9s %7s %13s %9s  %s\n", "kernel", "nvcc us", "terrace us", "ratio",
         "registers", "spills", "local bytes", "floor us", "difference");
  double logs = 0, worst = 0;
  std::string worst_name;
  int counted = 0, wrong = 0;
  for (const Kernel &k : table()) {
    bool wanted = argc == 2;
    for (int i = 2; i < argc; i++) wanted |= k.name == std::string(argv[i]);
    if (!wanted) continue;
    Version versions[2];
    versions[0].load(dir, k.name, "nvcc");
    versions[1].load(dir, k.name, "terrace");
    std::vector<CUdeviceptr> buffers;
    for (const Arg &a : k.args) {
      CUdeviceptr p = 0;
      if (a.kind == Arg::Buffer) check(cuMemAlloc(&p, a.count * bytes_of(a.type)), k.name);
      buffers.push_back(p);
    }
    auto reset = [&] {
      for (size_t i = 0; i < k.args.size(); i++) {
        const Arg &a = k.args[i];
        if (a.kind == Arg::Buffer)
          fill<<<1024, 256>>>((void *)buffers[i], a.type, a.low, a.high, a.ramp, a.count, unsigned(i));
      }
    };
    // Parameters: terrace's have the sizes and strides of a memref behind its pointer.
    std::vector<unsigned long long> store[2];
    std::vector<void *> params[2];
    for (int v = 0; v < 2; v++) {
      store[v].reserve(64);
      for (size_t i = 0; i < k.args.size(); i++) {
        const Arg &a = k.args[i];
        unsigned long long bits = buffers[i];
        if (a.kind == Arg::Int) {
          bits = (unsigned)a.i;
        } else if (a.kind == Arg::Float) {
          float f = float(a.f);
          unsigned u;
          memcpy(&u, &f, 4);
          bits = u;
        }
        store[v].push_back(bits);
        if (v == 1)
          for (long size : a.sizes) store[v].push_back((unsigned long long)size);
      }
      for (auto &s : store[v]) params[v].push_back(&s);
    }
    auto launch = [&](int v) {
      check(cuLaunchKernel(versions[v].function, k.grid.x, k.grid.y, k.grid.z, k.block.x, k.block.y, k.block.z, 0,
                           nullptr, params[v].data(), nullptr),
            k.name);
    };
    std::vector<std::vector<char>> results[2];
    for (int v = 0; v < 2; v++) {
      reset();
      launch(v);
      check(cuCtxSynchronize(), k.name);
      for (size_t i = 0; i < k.args.size(); i++) {
        const Arg &a = k.args[i];
        if (a.kind != Arg::Buffer || !a.out) continue;
        std::vector<char> bytes(a.count * bytes_of(a.type));
        check(cuMemcpyDtoH(bytes.data(), buffers[i], bytes.size()), k.name);
        results[v].push_back(std::move(bytes));
      }
    }
    // The largest difference, relative to the larger of the value and the scale; of
    // integers, how many differ.
    double difference = 0;
    size_t r = 0;
    bool nan = false;
    for (const Arg &a : k.args) {
      if (a.kind != Arg::Buffer || !a.out) continue;
      const char *x = results[0][r].data(), *y = results[1][r].data();
      size_t n = a.count;
      r++;
      if (!memcmp(x, y, n * bytes_of(a.type))) continue;
      bool integers = a.type == Type::I32 || a.type == Type::U8;
      size_t differing = 0;
      for (size_t i = 0; i < n; i++) {
        double u = element(x, a.type, i), w = element(y, a.type, i);
        if (u == w) continue;
        differing++;
        if (integers) continue;
        nan |= !(std::isfinite(u) && std::isfinite(w));
        difference = std::max(difference, std::fabs(u - w) / std::max(std::fabs(u), k.scale));
      }
      if (integers) difference = std::max(difference, double(differing) / n);
    }
    bool bad = nan || difference > k.tolerance;
    wrong += bad;
    cudaEvent_t events[2][RUNS][2];
    for (auto &v : events)
      for (auto &e : v) cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
    reset();
    for (int run = -WARM_UPS; run < RUNS; run++)
      for (int turn = 0; turn < 2; turn++) {
        int v = turn ^ (run & 1);
        cudaMemsetAsync(flush, run & 0xff, FLUSH_BYTES);
        if (run >= 0) cudaEventRecord(events[v][run][0]);
        launch(v);
        if (run >= 0) cudaEventRecord(events[v][run][1]);
      }
    check(cuCtxSynchronize(), k.name);
    double us[2];
    for (int v = 0; v < 2; v++) {
      std::vector<float> times;
      for (auto &e : events[v]) {
        float ms = 0;
        cudaEventElapsedTime(&ms, e[0], e[1]);
        times.push_back(ms * 1000);
        cudaEventDestroy(e[0]), cudaEventDestroy(e[1]);
      }
      std::sort(times.begin(), times.end());
      us[v] = times[RUNS / 2];
    }
    for (CUdeviceptr p : buffers)
      if (p) cuMemFree(p);
    for (auto &v : versions) cuModuleUnload(v.module);
    double ratio = us[1] / us[0];
    double rate = k.unit == Unit::F64         ? F64_PER_US
                  : k.unit == Unit::Tensor    ? TENSOR_PER_US
                  : k.unit == Unit::TensorF64 ? TENSOR_F64_PER_US
                                              : F32_PER_US;
    double floor_us = std::max(k.bytes / BYTES_PER_US, k.flops / rate);
    char pair[3][32];
    snprintf(pair[0], 32, "%d/%d", versions[0].registers, versions[1].registers);
    snprintf(pair[1], 32, "%d/%d", versions[0].spills, versions[1].spills);
    snprintf(pair[2], 32, "%d/%d", versions[0].local, versions[1].local);
    printf("%-15s %10.2f %10.2f %6.3f  %9s %7s %13s %9.2f  %.2g%s\n", k.name, us[0], us[1], ratio, pair[0], pair[1],
           pair[2], floor_us, difference, bad ? "  WRONG" : "");
    fflush(stdout);
    logs += std::log(ratio);
    counted++;
    if (ratio > worst) worst = ratio, worst_name = k.name;
  }
  if (counted)
    printf("geometric mean %.3f of %d kernels, worst %.3f (%s), %d wrong\n", std::exp(logs / counted), counted, worst,
           worst_name.c_str(), wrong);
  return wrong != 0;
}
