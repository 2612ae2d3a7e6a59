// Prefix sums by CUB.
#include "cub.cuh"

PEER(inclusive_f32) {
  long n = r["n"];
  Buffer<float> a(r, "a", n), b(n);
  float *pa = a.p, *pb = b.p;
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) { return cub::DeviceScan::InclusiveSum(room, bytes, pa, pb, (int)n, s); });
}

PEER(exclusive_i32) {
  long n = r["n"];
  Buffer<int> a(r, "a", n), b(n);
  int *pa = a.p, *pb = b.p;
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) { return cub::DeviceScan::ExclusiveSum(room, bytes, pa, pb, (int)n, s); });
}

PEER(in_place_f64) {
  long n = r["n"];
  Buffer<double> a(r, "a", n);
  double *pa = a.p;
  measure_cub(r, "CUB", {{"a", a}}, [=](void *room, size_t &bytes, cudaStream_t s) { return cub::DeviceScan::InclusiveSum(room, bytes, pa, pa, (int)n, s); });
}

PEER(widening_u8) {
  long n = r["n"];
  Buffer<unsigned char> a(r, "a", n);
  Buffer<long> b(n);
  unsigned char *pa = a.p;
  long *pb = b.p;
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceScan::InclusiveScanInit(room, bytes, pa, pb, cuda::std::plus<long>(), 0l, (int)n, s);
  });
}

PEER(running_max) {
  long n = r["n"];
  Buffer<float> a(r, "a", n), b(n);
  float *pa = a.p, *pb = b.p;
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceScan::InclusiveScan(room, bytes, pa, pb, cuda::maximum<float>(), (int)n, s);
  });
}

struct Part {
  float sum;
  int begins;
};
struct Join {
  __host__ __device__ Part operator()(Part a, Part b) const { return {b.begins ? b.sum : a.sum + b.sum, a.begins | b.begins}; }
};
struct Read {
  const float *a;
  const int *flag;
  __host__ __device__ Part operator()(long i) const { return {a[i], flag[i]}; }
};
struct Keep {
  float *b;
  struct Place {
    float *p;
    __device__ Place &operator=(Part x) {
      *p = x.sum;
      return *this;
    }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Part;
  using difference_type = long;
  using pointer = void;
  using reference = Place;
  __host__ __device__ Place operator[](long i) const { return {b + i}; }
  __host__ __device__ Place operator*() const { return {b}; }
  __host__ __device__ Keep operator+(long i) const { return {b + i}; }
};

PEER(segmented) {
  long n = r["n"];
  Buffer<float> a(r, "a", n), b(n);
  Buffer<int> flag(r, "flag", n);
  auto parts = thrust::make_transform_iterator(thrust::counting_iterator<long>(0), Read{a.p, flag.p});
  Keep out{b.p};
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceScan::InclusiveScan(room, bytes, parts, out, Join(), (int)n, s);
  });
}

PEER(by_key) {
  long n = r["n"];
  Buffer<int> key(r, "key", n), a(r, "a", n), b(n);
  int *pk = key.p, *pa = a.p, *pb = b.p;
  measure_cub(r, "CUB", {{"b", b}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceScan::InclusiveSumByKey(room, bytes, pk, pa, pb, (int)n, cuda::std::equal_to<int>(), s);
  });
}

PEER(reduce_by_key) {
  long n = r["n"], k = n / 20;
  Buffer<float> a(r, "a", n), t(k);
  Buffer<int> start(r, "start", k + 1);
  float *pa = a.p, *pt = t.p;
  int *ps = start.p;
  measure_cub(r, "CUB", {{"s", t}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceSegmentedReduce::Sum(room, bytes, pa, pt, (int)k, ps, ps + 1, s);
  });
}

struct Positive {
  __host__ __device__ bool operator()(int x) const { return x > 0; }
};

PEER(compact) {
  long n = r["n"];
  Buffer<int> a(r, "a", n), b(r, "b", n), count(1);
  int *pa = a.p, *pb = b.p, *pc = count.p;
  measure_cub(r, "CUB", {{"b", b}, {"count", count}}, [=](void *room, size_t &bytes, cudaStream_t s) {
    return cub::DeviceSelect::If(room, bytes, pa, pb, pc, (int)n, Positive(), s);
  });
}
