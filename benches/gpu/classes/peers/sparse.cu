// Sparse rows with a warp or a part of one for each row, gathers with a thread for each element.
#include "common.cuh"

template <int LANES, class T>
__global__ void csr_kernel(int n, const int *__restrict__ start, const int *__restrict__ col, const T *__restrict__ val,
                           const T *__restrict__ x, const T *__restrict__ b, T *__restrict__ y) {
  int lane = threadIdx.x % LANES;
  long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  T sum = 0;
  if (i < n)
    for (int k = start[i] + lane; k < start[i + 1]; k += LANES) sum += val[k] * x[col[k]];
  for (int d = LANES / 2; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d, LANES);
  if (i < n && !lane) y[i] = b ? b[i] - sum : sum;
}

template <class T> static void csr(const Row &r, bool residual) {
  long n = r["n"], nnz = r["nnz"];
  Buffer<int> start(r, "start", n + 1), col(r, "col", nnz);
  Buffer<T> val(r, "val", nnz), x(r, "x", n), b(residual ? n : 1), y(n);
  if (residual) b.fill(r, "b");
  const int *ps = start.p, *pc = col.p;
  const T *pv = val.p, *px = x.p, *pb = residual ? b.p : nullptr;
  T *py = y.p;
  long each_row = nnz / n;
  measure(r, "CUDA", {{residual ? "r" : "y", y}}, [=](cudaStream_t s) {
    if (each_row >= 24) csr_kernel<32><<<blocks(n * 32), THREADS, 0, s>>>((int)n, ps, pc, pv, px, pb, py);
    else if (each_row >= 12) csr_kernel<16><<<blocks(n * 16), THREADS, 0, s>>>((int)n, ps, pc, pv, px, pb, py);
    else csr_kernel<4><<<blocks(n * 4), THREADS, 0, s>>>((int)n, ps, pc, pv, px, pb, py);
  });
}

PEER(csr) { csr<float>(r, false); }
PEER(csr_f64) { csr<double>(r, true); }

PEER(ell_f64) {
  long n = r["n"], w = r["w"];
  Buffer<int> col(r, "col", w * n);
  Buffer<double> val(r, "val", w * n), x(r, "x", n), y(n);
  const int *__restrict__ pc = col.p;
  const double *__restrict__ pv = val.p, *__restrict__ px = x.p;
  double *py = y.p;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      double t = 0;
      for (long k = 0; k < w; k++) t += pv[k * n + i] * px[pc[k * n + i]];
      py[i] = t;
    });
  });
}

PEER(gather_i32) {
  long n = r["n"], table = r["table"];
  Buffer<int> at(r, "at", n), a(r, "a", table), b(n);
  const int *__restrict__ p = at.p, *__restrict__ q = a.p;
  int *pb = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) { each(n, s, [=] __device__(long i) { pb[i] = q[p[i]]; }); });
}

PEER(embedding) {
  long n = r["n"], d = r["d"], table = r["table"];
  Buffer<int> at(r, "at", n);
  Buffer<float> e(r, "e", table * d), y(n * d);
  const int *__restrict__ p = at.p;
  const float4 *q = (const float4 *)e.p;
  float4 *py = (float4 *)y.p;
  long d4 = d / 4;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    each(n * d4, s, [=] __device__(long x) {
      int i = (int)(x / d4), j = (int)(x % d4);
      py[x] = q[p[i] * d4 + j];
    });
  });
}

PEER(edges_f64) {
  long n = r["n"], e = r["e"];
  Buffer<int> from(r, "from", e), to(r, "to", e);
  Buffer<double> w(r, "w", e), u(r, "u", n), flux(e);
  const int *__restrict__ p = from.p, *__restrict__ q = to.p;
  const double *__restrict__ pw = w.p, *__restrict__ pu = u.p;
  double *pf = flux.p;
  measure(r, "CUDA", {{"flux", flux}}, [=](cudaStream_t s) { each(e, s, [=] __device__(long k) { pf[k] = pw[k] * (pu[q[k]] - pu[p[k]]); }); });
}

PEER(neighbours) {
  long n = r["n"], k = r["k"];
  Buffer<int> list(r, "list", n * k);
  Buffer<float> pos(r, "pos", 3 * n), force(3 * n);
  const int *__restrict__ p = list.p;
  const float *__restrict__ q = pos.p;
  float *pf = force.p;
  // Eight lanes share the neighbours of a particle.
  measure(r, "CUDA", {{"force", force}}, [=](cudaStream_t s) {
    each((n + 31) / 32 * 32 * 8, s, [=] __device__(long t) {
      long i = t / 8;
      float fx = 0, fy = 0, fz = 0;
      if (i < n) {
        float x = q[3 * i], y = q[3 * i + 1], z = q[3 * i + 2];
        for (long h = t % 8; h < k; h += 8) {
          long j = p[i * k + h];
          float dx = q[3 * j] - x, dy = q[3 * j + 1] - y, dz = q[3 * j + 2] - z;
          float r2 = dx * dx + dy * dy + dz * dz + 0.01f, w = 1 / (r2 * sqrtf(r2));
          fx += w * dx;
          fy += w * dy;
          fz += w * dz;
        }
      }
      for (int d = 4; d; d /= 2) {
        fx += __shfl_down_sync(~0u, fx, d, 8);
        fy += __shfl_down_sync(~0u, fy, d, 8);
        fz += __shfl_down_sync(~0u, fz, d, 8);
      }
      if (i < n && t % 8 == 0) {
        pf[3 * i] = fx;
        pf[3 * i + 1] = fy;
        pf[3 * i + 2] = fz;
      }
    });
  });
}

PEER(triangles) {
  long n = r["n"], t = r["t"];
  Buffer<int> corner(r, "corner", 3 * t);
  Buffer<float> x(r, "x", n), y(r, "y", n), area(t);
  const int *__restrict__ p = corner.p;
  const float *__restrict__ px = x.p, *__restrict__ py = y.p;
  float *pa = area.p;
  measure(r, "CUDA", {{"area", area}}, [=](cudaStream_t s) {
    each(t, s, [=] __device__(long i) {
      int a = p[3 * i], b = p[3 * i + 1], c = p[3 * i + 2];
      pa[i] = 0.5f * fabsf((px[b] - px[a]) * (py[c] - py[a]) - (px[c] - px[a]) * (py[b] - py[a]));
    });
  });
}

PEER(coo) {
  long n = r["n"], nnz = r["nnz"];
  Buffer<int> row(r, "row", nnz), col(r, "col", nnz);
  Buffer<float> val(r, "val", nnz), x(r, "x", n), y(n);
  const int *__restrict__ pr = row.p, *__restrict__ pc = col.p;
  const float *__restrict__ pv = val.p, *__restrict__ px = x.p;
  float *py = y.p;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    CUDA(cudaMemsetAsync(py, 0, (size_t)n * sizeof(float), s));
    each(nnz, s, [=] __device__(long k) { atomicAdd(&py[pr[k]], pv[k] * px[pc[k]]); });
  });
}

PEER(component_min) {
  long n = r["n"], nnz = r["nnz"];
  Buffer<int> start(r, "start", n + 1), to(r, "to", nnz), label(r, "label", n), next(n);
  const int *__restrict__ ps = start.p, *__restrict__ pt = to.p, *__restrict__ pl = label.p;
  int *pn = next.p;
  // Eight lanes share a node.
  measure(r, "CUDA", {{"next", next}}, [=](cudaStream_t s) {
    each((n + 31) / 32 * 32 * 8, s, [=] __device__(long t) {
      long i = t / 8;
      int least = 1 << 30;
      if (i < n) {
        least = pl[i];
        for (int k = ps[i] + (int)(t % 8); k < ps[i + 1]; k += 8) least = min(least, pl[pt[k]]);
      }
      for (int d = 4; d; d /= 2) least = min(least, __shfl_down_sync(~0u, least, d, 8));
      if (i < n && t % 8 == 0) pn[i] = least;
    });
  });
}
