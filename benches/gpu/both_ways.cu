// What copies of host memory reach one way and both ways at once: pageable memory through
// rings of pinned slots that threads fill and empty, and pinned memory; what pinning costs;
// and whether copies of rows of pinned memory keep the host.
//
//     nvcc -O2 -std=c++17 -arch=sm_90 -Xcompiler -pthread -o both_ways both_ways.cu && ./both_ways
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    cudaError_t result_ = (call);                                                            \
    if (result_ != cudaSuccess) {                                                            \
      printf("%s: %s\n", #call, cudaGetErrorString(result_));                                \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

static double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

const size_t CHUNK = 1 << 20;
const int SLOTS = 3;

struct Ring {
  char *memory;
  int workers;
  std::vector<cudaEvent_t> events;
  cudaStream_t stream;

  explicit Ring(int workers) : workers(workers), events(SLOTS * workers) {
    CHECK(cudaMallocHost(&memory, CHUNK * SLOTS * workers));
    for (auto &event : events)
      CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }

  void in(char *device, const char *host, size_t bytes) {
    each([=](int worker) {
      size_t k = 0;
      for (size_t c = worker; c * CHUNK < bytes; c += workers, k++) {
        int slot = worker * SLOTS + k % SLOTS;
        if (k >= SLOTS)
          CHECK(cudaEventSynchronize(events[slot]));
        memcpy(memory + slot * CHUNK, host + c * CHUNK, CHUNK);
        CHECK(cudaMemcpyAsync(device + c * CHUNK, memory + slot * CHUNK, CHUNK,
                              cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(events[slot], stream));
      }
    });
    CHECK(cudaStreamSynchronize(stream));
  }

  void out(char *host, const char *device, size_t bytes) {
    each([=](int worker) {
      size_t queued = 0, taken = 0;
      auto take = [&] {
        size_t c = worker + taken * workers;
        int slot = worker * SLOTS + taken % SLOTS;
        CHECK(cudaEventSynchronize(events[slot]));
        memcpy(host + c * CHUNK, memory + slot * CHUNK, CHUNK);
        taken++;
      };
      for (size_t c = worker; c * CHUNK < bytes; c += workers, queued++) {
        if (queued - taken == SLOTS)
          take();
        int slot = worker * SLOTS + queued % SLOTS;
        CHECK(cudaMemcpyAsync(memory + slot * CHUNK, device + c * CHUNK, CHUNK,
                              cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(events[slot], stream));
      }
      while (taken < queued)
        take();
    });
  }

  template <typename F> void each(F work) {
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; worker++)
      threads.emplace_back(work, worker);
    for (auto &thread : threads)
      thread.join();
  }
};

template <typename F> static double best(F work) {
  double least = 1e9;
  for (int i = 0; i < 4; i++) {
    double start = now();
    work();
    least = std::min(least, now() - start);
  }
  return least;
}

int main() {
  const size_t n = 512 << 20;
  char *a = (char *)malloc(n), *b = (char *)malloc(n), *x, *y;
  memset(a, 1, n);
  memset(b, 1, n);
  CHECK(cudaMalloc(&x, n));
  CHECK(cudaMalloc(&y, n));
  for (int workers : {4, 6, 8}) {
    Ring there(workers), back(workers);
    double in = best([&] { there.in(x, a, n); });
    double out = best([&] { back.out(b, y, n); });
    double both = best([&] {
      std::thread other([&] { there.in(x, a, n); });
      back.out(b, y, n);
      other.join();
    });
    printf("pageable, %d threads a way: in %.2f, out %.2f, both %.2f ms\n", workers, in, out, both);
  }
  for (int i = 0; i < 2; i++) {
    double start = now();
    CHECK(cudaHostRegister(a, n, 0));
    double pinned = now();
    CHECK(cudaHostUnregister(a));
    printf("pinning %.1f, taking it back %.1f ms\n", pinned - start, now() - pinned);
  }
  CHECK(cudaHostRegister(a, n, 0));
  CHECK(cudaHostRegister(b, n, 0));
  cudaStream_t to, from;
  CHECK(cudaStreamCreate(&to));
  CHECK(cudaStreamCreate(&from));
  auto in = [&] { CHECK(cudaMemcpyAsync(x, a, n, cudaMemcpyHostToDevice, to)); };
  auto out = [&] { CHECK(cudaMemcpyAsync(b, y, n, cudaMemcpyDeviceToHost, from)); };
  auto wait = [] { CHECK(cudaDeviceSynchronize()); };
  double one = best([&] { in(), wait(); });
  double other = best([&] { out(), wait(); });
  double both = best([&] { in(), out(), wait(); });
  printf("pinned: in %.2f, out %.2f, both %.2f ms\n", one, other, both);
  for (size_t width : {64, 512, 4096}) {
    double start = now();
    CHECK(cudaMemcpy2DAsync(x, 2 * width, a, 2 * width, width, (64 << 20) / width,
                            cudaMemcpyHostToDevice, to));
    double queued = now();
    wait();
    printf("rows of %zu bytes, pinned: the call %.3f, all of it %.3f ms of 64 MiB\n", width,
           queued - start, now() - start);
  }
}
