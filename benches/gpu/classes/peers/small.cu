// The programs of the class small that no other class has.
#include "cub.cuh"

__global__ void matmul_kernel(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  // A block makes 64 by 64 elements, a thread 4 by 4.
  __shared__ float pa[16][68], pb[16][64];
  int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64, t = threadIdx.x, ti = t / 16 * 4, tj = t % 16 * 4;
  float sum[4][4] = {};
  for (int l0 = 0; l0 < k; l0 += 16) {
    for (int q = t; q < 1024; q += 256) {
      int i = q / 16, l = q % 16;
      pa[l][i] = i0 + i < m && l0 + l < k ? a[(long)(i0 + i) * k + l0 + l] : 0;
      int l2 = q / 64, j = q % 64;
      pb[l2][j] = j0 + j < n && l0 + l2 < k ? b[(long)(l0 + l2) * n + j0 + j] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; l++) {
      float4 x = *(float4 *)&pa[l][ti], y = *(float4 *)&pb[l][tj];
      float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++) sum[u][v] += xs[u] * ys[v];
    }
    __syncthreads();
  }
  for (int u = 0; u < 4; u++)
    for (int v = 0; v < 4; v++)
      if (i0 + ti + u < m && j0 + tj + v < n) c[(long)(i0 + ti + u) * n + j0 + tj + v] = sum[u][v];
}

PEER(matmul_1k) {
  long m = r["m"], n = r["n"], k = r["k"];
  Buffer<float> a(r, "a", m * k), b(r, "b", k * n), c(m * n);
  float *pa = a.p, *pb = b.p, *pc = c.p;
  measure(r, "CUDA", {{"c", c}}, [=](cudaStream_t s) {
    matmul_kernel<<<dim3(blocks(n, 64), blocks(m, 64)), 256, 0, s>>>((int)m, (int)n, (int)k, pa, pb, pc);
  });
}

// A warp for each body.
__global__ void nbody_kernel(int n, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                             const float *__restrict__ mass, float *ax, float *ay, float *az) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (i >= n) return;
  float sx = 0, sy = 0, sz = 0, px = x[i], py = y[i], pz = z[i];
  for (int j = threadIdx.x % 32; j < n; j += 32) {
    float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    float d = dx * dx + dy * dy + dz * dz + 0.001f, w = mass[j] / (d * sqrtf(d));
    sx += w * dx;
    sy += w * dy;
    sz += w * dz;
  }
  for (int d = 16; d; d /= 2) {
    sx += __shfl_down_sync(~0u, sx, d);
    sy += __shfl_down_sync(~0u, sy, d);
    sz += __shfl_down_sync(~0u, sz, d);
  }
  if (threadIdx.x % 32 == 0) {
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}

PEER(nbody_1k) {
  long n = r["n"];
  Buffer<float> x(r, "x", n), y(r, "y", n), z(r, "z", n), mass(r, "mass", n), ax(n), ay(n), az(n);
  float *p = x.p, *q = y.p, *u = z.p, *w = mass.p, *px = ax.p, *py = ay.p, *pz = az.p;
  measure(r, "CUDA", {{"ax", ax}, {"ay", ay}, {"az", az}}, [=](cudaStream_t s) {
    nbody_kernel<<<blocks(32 * n, 128), 128, 0, s>>>((int)n, p, q, u, w, px, py, pz);
  });
}

PEER(jacobi_steps) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", m * n), b(r, "b", m * n);
  float *pa = a.p, *pb = b.p;
  auto step = [=](const float *p, float *q, cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      if (i < 1 || j < 1 || i >= m - 1 || j >= n - 1) return;
      long x = i * n + j;
      q[x] = 0.2f * (p[x] + p[x - n] + p[x + n] + p[x - 1] + p[x + 1]);
    });
  };
  measure(r, "CUDA", {{"a", a}, {"b", b}}, [=](cudaStream_t s) {
    for (int t = 0; t < 50; t++) {
      step(pa, pb, s);
      step(pb, pa, s);
    }
  });
}

// Conjugate gradients: three kernels a step, sums by atomic additions to scalars of the device.
struct Cg {
  int n;
  const int *start, *col;
  const double *val, *b;
  double *p, *r, *q, *x, *rho, *d;
};

__device__ void add_up(double v, double *sum) {
  using Reduce = cub::BlockReduce<double, 256>;
  __shared__ typename Reduce::TempStorage room;
  v = Reduce(room).Sum(v);
  if (!threadIdx.x) atomicAdd(sum, v);
}

__global__ void cg_begin(Cg c) {
  int i = blockIdx.x * 256 + threadIdx.x;
  double v = i < c.n ? c.b[i] : 0;
  if (i < c.n) {
    c.x[i] = 0;
    c.r[i] = c.p[i] = v;
  }
  add_up(v * v, c.rho);
}

// A warp for each row; p of the step is made of the last one's on the way, into the other of two arrays.
__global__ void cg_product(Cg c, int step) {
  int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const double *p = c.p + (step % 2 ? c.n : 0);
  double sum = 0;
  if (i < c.n)
    for (int k = c.start[i] + lane; k < c.start[i + 1]; k += 32) sum += c.val[k] * p[c.col[k]];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  double mine = 0;
  if (i < c.n && !lane) {
    sum += 40.0 * p[i];
    c.q[i] = sum;
    mine = p[i] * sum;
  }
  add_up(mine, c.d + step);
}

__global__ void cg_advance(Cg c, int step) {
  int i = blockIdx.x * 256 + threadIdx.x;
  double alpha = c.rho[step] / c.d[step], mine = 0;
  if (i < c.n) {
    c.x[i] += alpha * c.p[(step % 2 ? c.n : 0) + i];
    mine = c.r[i] -= alpha * c.q[i];
  }
  add_up(mine * mine, c.rho + step + 1);
}

__global__ void cg_direction(Cg c, int step) {
  int i = blockIdx.x * 256 + threadIdx.x;
  double beta = c.rho[step + 1] / c.rho[step];
  if (i < c.n) c.p[(step % 2 ? 0 : c.n) + i] = c.r[i] + beta * c.p[(step % 2 ? c.n : 0) + i];
}

PEER(cg_s) {
  long n = r["n"], nnz = r["nnz"];
  Buffer<int> start(r, "start", n + 1), col(r, "col", nnz);
  Buffer<double> val(r, "val", nnz), b(r, "b", n), p(2 * n), res(n), q(n), x(n), sums(64);
  Cg c{(int)n, start.p, col.p, val.p, b.p, p.p, res.p, q.p, x.p, sums.p, sums.p + 32};
  measure(r, "CUDA", {{"x", x}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(c.rho, 0, 64 * sizeof(double), s));
    cg_begin<<<blocks(n), 256, 0, s>>>(c);
    for (int step = 0; step < 25; step++) {
      cg_product<<<blocks(32 * n), 256, 0, s>>>(c, step);
      cg_advance<<<blocks(n), 256, 0, s>>>(c, step);
      cg_direction<<<blocks(n), 256, 0, s>>>(c, step);
    }
  });
}
