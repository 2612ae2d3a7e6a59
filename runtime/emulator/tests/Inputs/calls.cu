// nvcc -O3 -arch=sm_90 -ptx calls.cu -o calls.ptx
struct Pair { float a; double b; int c[3]; };
extern "C" {
__device__ __noinline__ float axpy(float a, const float *x, int i) { return a * x[i] + 1.0f; }
__device__ __noinline__ Pair make(Pair p, int k) { p.a += k; p.b *= 2.0; p.c[k % 3] = k; return p; }
__device__ __noinline__ void put(float *y, int i, float v) { if (i % 3) y[i] = v; }
__device__ __noinline__ double sum(const Pair *p) { return p->a + p->b + p->c[0] + p->c[1] + p->c[2]; }
__device__ __noinline__ char narrow(short s, bool b) { return b ? (char)(s >> 1) : (char)s; }
__global__ void calls(float *y, double *z, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = axpy(2.0f, x, i);
  if (i & 1) v += axpy(v, x, i / 2);
  put(y, i, v);
  Pair p = {v, 0.5 * i, {i, i + 1, i + 2}};
  Pair q = make(p, i);
  z[i] = sum(&q) + narrow((short)i, i % 5 == 0);
}
}
