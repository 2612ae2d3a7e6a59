// Times of peers for the rows on standard input, each `NAME SET SIZE=VALUE ... ARRAY~SEED~FILL~DIMS~TYPE ...`:
//
//     copy BYTES_PER_SECOND
//     sum NAME SET LABEL ARRAY MAGNITUDE
//     peer NAME SET LABEL SECONDS SECONDS_OF_A_CALL
#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <sstream>

#include "common.cuh"

std::map<std::string, std::vector<Peer>> &peers() {
  static std::map<std::string, std::vector<Peer>> all;
  return all;
}

Fill fill_kind(const std::string &text, long &x, long &y) {
  static const char *const names[] = {"random", "below", "zeros", "skew", "always", "flags", "sorted", "starts", "steep", "near", "nearc"};
  char kind[32] = "";
  std::sscanf(text.c_str(), "%31[^:]:%ld:%ld", kind, &x, &y);
  for (int k = 0; k <= NEARC; k++)
    if (!std::strcmp(kind, names[k])) return Fill(k);
  std::fprintf(stderr, "found the fill %s, expected one of driver.c\n", text.c_str());
  std::exit(2);
}

static double seconds_of(cudaStream_t s, int times, const std::function<void()> &work) {
  cudaEvent_t began, ended;
  CUDA(cudaEventCreate(&began));
  CUDA(cudaEventCreate(&ended));
  CUDA(cudaEventRecord(began, s));
  work();
  CUDA(cudaEventRecord(ended, s));
  CUDA(cudaEventSynchronize(ended));
  float ms;
  CUDA(cudaEventElapsedTime(&ms, began, ended));
  CUDA(cudaEventDestroy(began));
  CUDA(cudaEventDestroy(ended));
  return ms * 1e-3 / times;
}

static double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void measure(const Row &r, const char *label, const std::vector<Written> &written, const std::function<void(cudaStream_t)> &call) {
  static cudaStream_t s = nullptr;
  if (!s) CUDA(cudaStreamCreate(&s));
  CUDA(cudaDeviceSynchronize());
  call(s);
  CUDA(cudaStreamSynchronize(s));
  for (const Written &w : written) std::printf("sum %s %s %s %s %.17g\n", r.name.c_str(), r.set.c_str(), label, w.name, w.sum());
  double once = seconds_of(s, 1, [&] { call(s); });
  // Several calls behind each other in a graph, so that the host's part of a launch does not count.
  int times = (int)std::min(20.0, std::max(2.0, 0.02 / once));
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < times; k++) call(s);
  CUDA(cudaStreamEndCapture(s, &graph));
  CUDA(cudaGraphInstantiate(&ready, graph, 0));
  CUDA(cudaGraphLaunch(ready, s));
  std::vector<double> runs, calls;
  for (int k = 0; k < 5; k++) runs.push_back(seconds_of(s, times, [&] { CUDA(cudaGraphLaunch(ready, s)); }));
  CUDA(cudaGraphExecDestroy(ready));
  CUDA(cudaGraphDestroy(graph));
  for (int k = 0; k < (once < 1e-3 ? 100 : 5); k++) {
    auto began = std::chrono::steady_clock::now();
    call(s);
    CUDA(cudaStreamSynchronize(s));
    calls.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  std::printf("peer %s %s %s %.9f %.9f\n", r.name.c_str(), r.set.c_str(), label, median(runs), median(calls));
  std::fflush(stdout);
}

__global__ void copy4(const float4 *__restrict__ a, float4 *__restrict__ b, long n) {
  long i = ((long)blockIdx.x * blockDim.x) * 4 + threadIdx.x;
  float4 x[4];
  for (int k = 0; k < 4; k++)
    if (i + k * blockDim.x < n) x[k] = a[i + k * blockDim.x];
  for (int k = 0; k < 4; k++)
    if (i + k * blockDim.x < n) b[i + k * blockDim.x] = x[k];
}

// Bytes read and written in a second by a copy of 1 GiB, the best of several launches.
static void copy() {
  long n = 1l << 26;
  Buffer<float4> a(n), b(n);
  CUDA(cudaMemset(a.p, 1, (size_t)n * 16));
  double best = 1e9;
  for (int k = 0; k < 20; k++)
    best = std::min(best, seconds_of(0, 1, [&] { copy4<<<blocks(n, 4 * 256), 256>>>(a.p, b.p, n); }));
  CUDA(cudaGetLastError());
  std::printf("copy %.6g\n", 32.0 * (double)n / best);
}

int main() {
  copy();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Row r;
    words >> r.name >> r.set;
    for (std::string word; words >> word;) {
      size_t at = word.find('='), tilde = word.find('~');
      if (tilde == std::string::npos) {
        r.sizes[word.substr(0, at)] = std::atol(word.c_str() + at + 1);
      } else {
        size_t second = word.find('~', tilde + 1);
        r.arrays[word.substr(0, tilde)] = {std::atol(word.c_str() + tilde + 1), word.substr(second + 1, word.find('~', second + 1) - second - 1)};
      }
    }
    auto found = peers().find(r.name);
    if (found != peers().end())
      for (const Peer &peer : found->second) peer(r);
  }
  return 0;
}
