// Kernels whose requests to memory are counted: by ncu on a GPU, and by the emulator.
// Each is launched once, in the order of `main`; `counts.sh` and the emulator's test
// `ncu` know the shapes.

#include <cstdio>
#include <cuda_runtime.h>

#define N 1024

extern "C" {

// Neighbouring threads read and write neighbours.
__global__ void unit(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] * 2.0f;
}

// Every fifth element.
__global__ void strided(const double *a, double *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i * 5];
}

// All threads of a warp read one element, then two.
__global__ void broadcast(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i / 32] + a[4096 + i / 16];
}

// Rows become columns: one side has a stride.
__global__ void transposed(const float *a, float *b) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  b[x * N + y] = a[y * N + x];
}

// Vectors of 16 bytes.
__global__ void vectors(const float4 *a, float4 *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  v.x += 1.0f;
  b[i] = v;
}

// Five points, with the boundary left out.
__global__ void stencil2d(const double *a, double *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < N - 1 && y > 0 && y < N - 1) {
    const double *p = a + y * N + x;
    b[y * N + x] = 0.2 * (p[0] + p[-1] + p[1] + p[-N] + p[N]);
  }
}

// Seven points on a grid of 64 x 64 x 66.
__global__ void stencil3d(const float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && x < 65 && y > 0 && y < 63 && z > 0 && z < 63) {
    const float *p = a + (z * 64 + y) * 66 + x;
    b[(z * 64 + y) * 66 + x] = p[0] + p[-1] + p[1] + p[-66] + p[66] + p[-64 * 66] + p[64 * 66];
  }
}

// Through a shared tile whose columns lie in one bank.
__global__ void tile_plain(const float *a, float *b) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    t[y + k][x] = a[(blockIdx.y * 32 + y + k) * N + blockIdx.x * 32 + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    b[(blockIdx.x * 32 + y + k) * N + blockIdx.y * 32 + x] = t[x][y + k];
}

// The same with rows of 33.
__global__ void tile_padded(const float *a, float *b) {
  __shared__ float t[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    t[y + k][x] = a[(blockIdx.y * 32 + y + k) * N + blockIdx.x * 32 + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    b[(blockIdx.x * 32 + y + k) * N + blockIdx.y * 32 + x] = t[x][y + k];
}

// Doubles and vectors in shared memory: rows of 32 doubles read by columns of 4
// threads, and 16 bytes a thread.
__global__ void shared_wide(const double *a, double *b) {
  __shared__ __align__(16) double t[32 * 8];
  int i = threadIdx.x;
  t[i] = a[blockIdx.x * 256 + i];
  __syncthreads();
  double s = t[(i % 8) * 32 + i / 8];
  double2 v = reinterpret_cast<double2 *>(t)[(i * 3) % 128];
  b[blockIdx.x * 256 + i] = s + v.x + v.y;
}

// Elements in an order that looks like none.
__global__ void gathered(const float *a, const int *at, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[at[i]];
}

// Three floats a thread, one after the other.
__global__ void records(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[3 * i] + a[3 * i + 1] * a[3 * i + 2];
}
}

int main() {
  char *a, *b;
  int *at;
  const size_t bytes = 32 << 20;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&at, N * N * 4);
  cudaMemset(a, 0, bytes);
  int *host = new int[N * N];
  for (int i = 0; i < N * N; i++) host[i] = (int)((unsigned)i * 7919u % 100003u);
  cudaMemcpy(at, host, N * N * 4, cudaMemcpyHostToDevice);
  float *fa = (float *)a, *fb = (float *)b;
  double *da = (double *)a, *db = (double *)b;
  unit<<<64, 256>>>(fa + 1, fb);
  strided<<<64, 256>>>(da, db);
  broadcast<<<64, 256>>>(fa, fb);
  transposed<<<dim3(32, 128), dim3(32, 8)>>>(fa, fb);
  vectors<<<64, 256>>>((float4 *)a, (float4 *)b);
  stencil2d<<<dim3(32, 128), dim3(32, 8)>>>(da, db);
  stencil3d<<<dim3(3, 16, 16), dim3(32, 4, 4)>>>(fa, fb);
  tile_plain<<<dim3(32, 32), dim3(32, 8)>>>(fa, fb);
  tile_padded<<<dim3(32, 32), dim3(32, 8)>>>(fa, fb);
  shared_wide<<<64, 256>>>(da, db);
  gathered<<<64, 256>>>(fa, at, fb);
  records<<<64, 256>>>(fa, fb);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
