// Calls of CUB's device-wide algorithms, whose room is taken once.
#pragma once

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "common.cuh"

// `run(room, bytes, stream)` is one of CUB's functions, which tells the bytes where room is null.
template <class F> void measure_cub(const Row &r, const char *label, const std::vector<Written> &written, F run) {
  size_t bytes = 0;
  CUDA(run(nullptr, bytes, (cudaStream_t) nullptr));
  Buffer<char> room((long)bytes + 1);
  char *p = room.p;
  measure(r, label, written, [=](cudaStream_t s) {
    size_t size = bytes;
    CUDA(run(p, size, s));
  });
}
