// Runs the kernels of bits.ptx on a GPU and compares what they give with what the
// emulator gave, bit for bit:
//
//     nvcc -o run run.cu -lcuda && ./run DIR
//
// DIR is what the emulator's example `bits` wrote. Prints a line for each kernel
// that differs, with the first difference, and how many agree.

#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void check(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  const char *name = "?";
  cuGetErrorName(r, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(1);
}

static std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const std::string dir = argv[1];
  const size_t n = 4096;
  std::string ptx = slurp(dir + "/bits.ptx"), input = slurp(dir + "/input"), output = slurp(dir + "/output");
  std::vector<std::string> names;
  std::ifstream list(dir + "/names");
  for (std::string line; std::getline(list, line);) names.push_back(line);
  check(cuInit(0), "init");
  CUdevice device;
  CUcontext context;
  check(cuDeviceGet(&device, 0), "device");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  CUmodule module;
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CUresult loaded = cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
  if (loaded != CUDA_SUCCESS) fprintf(stderr, "%s\n", log);
  check(loaded, "load");
  CUdeviceptr in, out;
  check(cuMemAlloc(&in, input.size()), "alloc");
  check(cuMemAlloc(&out, 8 * n), "alloc");
  check(cuMemcpyHtoD(in, input.data(), input.size()), "copy");
  CUdeviceptr a = in, b = in + 8 * n, c = in + 16 * n;
  size_t same = 0;
  std::vector<unsigned long long> got(n);
  auto *words = (const unsigned long long *)input.data();
  for (size_t k = 0; k < names.size(); k++) {
    CUfunction f;
    check(cuModuleGetFunction(&f, module, ("k" + std::to_string(k)).c_str()), "function");
    void *args[] = {&a, &b, &c, &out};
    check(cuLaunchKernel(f, n / 128, 1, 1, 128, 1, 1, 0, 0, args, 0), "launch");
    check(cuMemcpyDtoH(got.data(), out, 8 * n), "copy");
    auto *expected = (const unsigned long long *)(output.data() + 8 * n * k);
    size_t bad = 0, first = 0;
    for (size_t i = n; i-- > 0;)
      if (got[i] != expected[i]) bad++, first = i;
    if (!bad) {
      same++;
      continue;
    }
    printf("%-28s %5zu of %zu differ: %016llx %016llx %016llx gives %016llx, emulated %016llx\n",
           names[k].c_str(), bad, n, words[first], words[n + first], words[2 * n + first], got[first],
           expected[first]);
  }
  printf("%zu of %zu instructions agree on all operands\n", same, names.size());
}
