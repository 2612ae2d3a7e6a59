// What a compiler makes of simple CUDA, for the emulator to run: `corpus.sh` makes the
// PTX files, the test `nvcc` knows what each kernel computes.

#define K extern "C" __global__ void
__device__ __forceinline__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

K saxpy(int n, float a, const float *x, float *y) {
  int i = thread();
  if (i < n) y[i] = a * x[i] + y[i];
}

// Sums by shuffles, shared memory and one atomic.
K dot(int n, const double *x, const double *y, double *out) {
  __shared__ double part[32];
  double s = 0;
  for (int i = thread(); i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) s += part[w];
    atomicAdd(out, s);
  }
}

K transpose(int n, const float *a, float *b) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

K histogram(int n, const unsigned char *data, unsigned *bins) {
  __shared__ unsigned own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = thread(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (own[i]) atomicAdd(&bins[i], own[i]);
}

// Prefix sums of a block, in dynamic shared memory.
K scan(const int *in, int *out) {
  extern __shared__ int warps[];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = in[thread()];
  for (int d = 1; d < 32; d <<= 1) {
    int u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; w++) v += warps[w];
  out[thread()] = v;
}

K collatz(long long *steps) {
  long long n = thread() + 1;
  int s = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    s++;
  }
  steps[thread()] = s;
}

K bitonic(int *data) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int k = 2; k <= 256; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        int v = s[t];
        s[t] = s[other];
        s[other] = v;
      }
      __syncthreads();
    }
  data[t] = s[t];
}

K mandelbrot(int n, int *out) {
  int i = thread();
  if (i >= n * n) return;
  float cx = -2.0f + 3.0f * (i % n) / n, cy = -1.5f + 3.0f * (i / n) / n, x = 0, y = 0;
  int k = 0;
  for (; k < 100; k++) {
    float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
    if (xx + yy > 4) break;
    y = __fadd_rn(__fmul_rn(2 * x, y), cy);
    x = __fadd_rn(xx - yy, cx);
  }
  out[i] = k;
}

// A function that is called, by some lanes.
__device__ __noinline__ unsigned gcd(unsigned a, unsigned b) {
  while (b) {
    unsigned t = a % b;
    a = b;
    b = t;
  }
  return a;
}
K gcds(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = thread();
  out[i] = i % 3 ? gcd(a[i], b[i]) : 0;
}

// A jump table.
K choose(const int *op, const int *a, int *out) {
  int i = thread(), v = a[i];
  switch (op[i]) {
  case 0: v += 7; break;
  case 1: v *= 3; break;
  case 2: v = -v; break;
  case 3: v ^= 0x55;  // and on
  case 4: v <<= 2; break;
  case 5: v = v * v; break;
  case 6: v = v / 5; break;
  case 7: v = v % 9; break;
  case 8: return;
  default: v = 1000;
  }
  out[i] = v;
}

struct Box {
  double low[2];
  double high[2];
  int count;
  char kind;
};
K inside(struct Box box, const double *x, const double *y, int *out) {
  int i = thread();
  if (i < box.count)
    out[i] = box.kind * (x[i] >= box.low[0] && x[i] < box.high[0] && y[i] >= box.low[1] && y[i] < box.high[1]);
}

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__device__ int launches;
K blur(int n, const float *in, float *out) {
  int i = thread();
  if (i == 0) atomicAdd(&launches, 1);
  if (i < 2 || i >= n - 2) return;
  float s = 0;
  for (int k = 0; k < 5; k++) s += weights[k] * in[i + k - 2];
  out[i] = s;
}

K bits(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = thread();
  unsigned x = a[i], y = b[i];
  unsigned *o = out + 12 * i;
  o[0] = __popc(x);
  o[1] = __clz(x);
  o[2] = __brev(x);
  o[3] = __byte_perm(x, y, 0x7531);
  o[4] = __umulhi(x, y);
  o[5] = __funnelshift_l(x, y, 11);
  o[6] = x / (y | 1);
  o[7] = (int)x % 7;
  o[8] = __ffs(x);
  o[9] = ((unsigned long long)x << 32 | y) / 1000003u;
  o[10] = max((int)x, (int)y) - min(x, y);
  o[11] = __sad((int)x, (int)y, 5u);
}

// Arrays that are indexed by what is computed lie in local memory.
K digits(const unsigned *in, unsigned *out) {
  int i = thread();
  unsigned char d[12];
  unsigned v = in[i];
  int n = 0;
  do d[n++] = v % 10; while (v /= 10);
  unsigned r = 0;
  for (int k = 0; k < n; k++) r = r * 7 + d[(k * 5) % n];
  out[i] = r;
}

K doubles(const double *x, double *out) {
  int i = thread();
  double v = x[i];
  out[4 * i] = 1.0 / v;
  out[4 * i + 1] = sqrt(v);
  out[4 * i + 2] = v / 3.7;
  out[4 * i + 3] = floor(v) + rint(v) - trunc(v);
}

// The library's functions, inlined.
K functions(const float *x, float *out) {
  int i = thread();
  float v = x[i];
  out[6 * i] = sinf(v);
  out[6 * i + 1] = expf(v * 0.01f);
  out[6 * i + 2] = logf(v);
  out[6 * i + 3] = powf(v, 1.3f);
  out[6 * i + 4] = sqrtf(v) / (v + 1.0f);
  out[6 * i + 5] = atan2f(v, 3.0f);
}

K vectors(const float4 *a, const double2 *b, float4 *out) {
  int i = thread();
  float4 v = a[i];
  double2 w = b[i];
  out[i] = make_float4(v.x + v.w, v.y * v.z, (float)w.x, (float)w.y);
}

// The last block to arrive sums what the others wrote.
__device__ unsigned arrived;
K last_block(const int *in, int *parts, int *out) {
  __shared__ bool last;
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[thread()]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; b++) all += *(volatile int *)&parts[b];
    *out = all;
    arrived = 0;
  }
}

// Atomics without an instruction of their own.
__device__ float atomic_max(float *at, float v) {
  int *word = (int *)at, old = *(volatile int *)word, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= v) break;
    old = atomicCAS(word, seen, __float_as_int(v));
  } while (old != seen);
  return __int_as_float(old);
}
K largest(int n, const float *x, float *out) {
  int i = thread();
  if (i < n) atomic_max(out, x[i]);
}

K votes(const int *x, unsigned *out) {
  int i = thread(), v = x[i];
  unsigned small = __ballot_sync(~0u, v < 10);
  bool any = __any_sync(~0u, v == 77), all = __all_sync(~0u, v < 1000);
  unsigned below = __popc(small & ((1u << (threadIdx.x & 31)) - 1));
  out[i] = below | any << 8 | all << 9 | __shfl_sync(~0u, v, 5, 8) << 16;
}

// Text in memory of the module, and a local copy of it.
K strings(char *out, char key) {
  const char *text = "as good as nvcc";
  int i = threadIdx.x;
  char own[16];
  for (int k = 0; k < 16; k++) own[k] = text[k] ? text[k] ^ key : key;
  out[i] = i < 16 ? own[i] : 0;
}
