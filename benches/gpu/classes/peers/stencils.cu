// One sweep, one thread for each cell.
#include "common.cuh"

PEER(star_2d) {
  long m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", m * n), b(r, "b", m * n);
  const float *__restrict__ p = a.p;
  float *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      if (i < 1 || j < 1 || i >= m - 1 || j >= n - 1) return;
      long x = i * n + j;
      q[x] = 0.2f * (p[x] + p[x - n] + p[x + n] + p[x - 1] + p[x + 1]);
    });
  });
}

PEER(star_r4_2d_f64) {
  long m = r["m"], n = r["n"];
  Buffer<double> a(r, "a", m * n), b(r, "b", m * n);
  const double *__restrict__ p = a.p;
  double *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      const double c[5] = {-2.847222, 1.6, -0.2, 0.02539683, -0.001785714};
      if (i < 4 || j < 4 || i >= m - 4 || j >= n - 4) return;
      long x = i * n + j;
      double t = 2 * c[0] * p[x];
#pragma unroll
      for (int k = 1; k <= 4; k++) t += c[k] * (p[x - k * n] + p[x + k * n] + p[x - k] + p[x + k]);
      q[x] = t;
    });
  });
}

PEER(box_r2_2d) {
  long m = r["m"], n = r["n"];
  Buffer<float> w(r, "w", 25), a(r, "a", m * n), b(r, "b", m * n);
  const float *__restrict__ p = a.p, *__restrict__ c = w.p;
  float *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      if (i < 2 || j < 2 || i >= m - 2 || j >= n - 2) return;
      float t = 0;
#pragma unroll
      for (int u = 0; u < 5; u++)
#pragma unroll
        for (int v = 0; v < 5; v++) t += c[u * 5 + v] * p[(i + u - 2) * n + j + v - 2];
      q[i * n + j] = t;
    });
  });
}

PEER(star_3d_f64) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<double> a(r, "a", l * m * n), b(r, "b", l * m * n);
  const double *__restrict__ p = a.p;
  double *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(l, m, n, s, [=] __device__(long i, long j, long k) {
      if (i < 1 || j < 1 || k < 1 || i >= l - 1 || j >= m - 1 || k >= n - 1) return;
      long x = (i * m + j) * n + k, y = m * n;
      q[x] = 0.4 * p[x] + 0.1 * (p[x - y] + p[x + y] + p[x - n] + p[x + n] + p[x - 1] + p[x + 1]);
    });
  });
}

PEER(box_3d) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<float> w(r, "w", 4), a(r, "a", l * m * n), b(r, "b", l * m * n);
  const float *__restrict__ p = a.p, *__restrict__ c = w.p;
  float *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(l, m, n, s, [=] __device__(long i, long j, long k) {
      if (i < 1 || j < 1 || k < 1 || i >= l - 1 || j >= m - 1 || k >= n - 1) return;
      float t = 0;
#pragma unroll
      for (int u = -1; u <= 1; u++)
#pragma unroll
        for (int v = -1; v <= 1; v++)
#pragma unroll
          for (int z = -1; z <= 1; z++) t += c[u * u + v * v + z * z] * p[((i + u) * m + j + v) * n + k + z];
      q[(i * m + j) * n + k] = t;
    });
  });
}

PEER(wave_r4_3d) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<float> v(r, "v", l * m * n), p(r, "p", l * m * n), u(r, "u", l * m * n);
  const float *__restrict__ a = p.p, *__restrict__ speed = v.p;
  float *__restrict__ q = u.p;
  measure(r, "CUDA", {{"u", u}}, [=](cudaStream_t s) {
    cells(l, m, n, s, [=] __device__(long i, long j, long k) {
      const float c[5] = {-8.541667f, 1.6f, -0.2f, 0.025397f, -0.001786f};
      if (i < 4 || j < 4 || k < 4 || i >= l - 4 || j >= m - 4 || k >= n - 4) return;
      long x = (i * m + j) * n + k, y = m * n;
      float t = c[0] * a[x];
#pragma unroll
      for (int d = 1; d <= 4; d++) t += c[d] * (a[x - d * y] + a[x + d * y] + a[x - d * n] + a[x + d * n] + a[x - d] + a[x + d]);
      q[x] = 2 * a[x] - q[x] + speed[x] * t;
    });
  });
}

PEER(star_r3_3d) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<float> w(r, "w", 4), a(r, "a", l * m * n), b(r, "b", l * m * n);
  const float *__restrict__ p = a.p, *__restrict__ c = w.p;
  float *__restrict__ q = b.p;
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(l, m, n, s, [=] __device__(long i, long j, long k) {
      if (i < 3 || j < 3 || k < 3 || i >= l - 3 || j >= m - 3 || k >= n - 3) return;
      long x = (i * m + j) * n + k, y = m * n;
      float t = c[0] * p[x];
#pragma unroll
      for (int d = 1; d <= 3; d++) t += c[d] * (p[x - d * y] + p[x + d * y] + p[x - d * n] + p[x + d * n] + p[x - d] + p[x + d]);
      q[x] = t;
    });
  });
}

PEER(fields_2d) {
  long m = r["m"], n = r["n"];
  Buffer<double> hx(r, "hx", m * n), hy(r, "hy", m * n), ez(r, "ez", m * n);
  double *x = hx.p, *y = hy.p, *z = ez.p;
  measure(r, "CUDA", {{"hx", hx}, {"hy", hy}, {"ez", ez}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      long k = i * n + j;
      if (j < n - 1) x[k] -= 0.5 * (z[k + 1] - z[k]);
      if (i < m - 1) y[k] += 0.5 * (z[k + n] - z[k]);
    });
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      long k = i * n + j;
      if (i > 0 && j > 0) z[k] += 0.7 * (y[k] - y[k - n] - x[k] + x[k - 1]);
    });
  });
}

PEER(d2q9) {
  long m = r["m"], n = r["n"];
  Buffer<float> f(r, "f", 9 * m * n), g(r, "g", 9 * m * n);
  const float *__restrict__ p = f.p;
  float *__restrict__ q = g.p;
  measure(r, "CUDA", {{"g", g}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      if (i < 1 || j < 1 || i >= m - 1 || j >= n - 1) return;
      const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
      const float w[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
      float in[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
      for (int k = 0; k < 9; k++) {
        in[k] = p[(k * m + i - cy[k]) * n + j - cx[k]];
        rho += in[k];
        ux += cx[k] * in[k];
        uy += cy[k] * in[k];
      }
      ux /= rho;
      uy /= rho;
      float uu = 1 - 1.5f * (ux * ux + uy * uy);
#pragma unroll
      for (int k = 0; k < 9; k++) {
        float t = cx[k] * ux + cy[k] * uy;
        q[(k * m + i) * n + j] = 0.4f * in[k] + 0.6f * rho * w[k] * (uu + 3 * t + 4.5f * t * t);
      }
    });
  });
}

PEER(red_black_f64) {
  long m = r["m"], n = r["n"];
  Buffer<double> f(r, "f", m * n), u(r, "u", m * n);
  const double *pf = f.p;
  double *p = u.p;
  measure(r, "CUDA", {{"u", u}}, [=](cudaStream_t s) {
    cells(1, m, n / 2 + 1, s, [=] __device__(long, long i, long h) {
      long j = 2 * h + 1 + i % 2;
      if (i < 1 || i >= m - 1 || j >= n - 1) return;
      long x = i * n + j;
      p[x] = 0.25 * (p[x - n] + p[x + n] + p[x - 1] + p[x + 1] - pf[x]);
    });
  });
}

PEER(sobel_u8) {
  long m = r["m"], n = r["n"];
  Buffer<unsigned char> a(r, "a", m * n), b(r, "b", m * n);
  const unsigned char *__restrict__ p = a.p;
  unsigned char *__restrict__ q = b.p;
  // Four cells a thread, written one by one: rows need not begin at words.
  measure(r, "CUDA", {{"b", b}}, [=](cudaStream_t s) {
    cells(1, m, (n + 3) / 4, s, [=] __device__(long, long i, long h) {
      if (i < 1 || i >= m - 1) return;
      for (long j = 4 * h; j < 4 * h + 4; j++) {
        if (j < 1 || j >= n - 1) continue;
        long x = i * n + j;
        int gx = p[x - n + 1] + 2 * p[x + 1] + p[x + n + 1] - p[x - n - 1] - 2 * p[x - 1] - p[x + n - 1];
        int gy = p[x + n - 1] + 2 * p[x + n] + p[x + n + 1] - p[x - n - 1] - 2 * p[x - n] - p[x - n + 1];
        q[x] = (unsigned char)min(255, abs(gx) + abs(gy));
      }
    });
  });
}

PEER(d3q19) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<float> f(r, "f", 19 * l * m * n), g(r, "g", 19 * l * m * n);
  const float *__restrict__ p = f.p;
  float *__restrict__ o = g.p;
  measure(r, "CUDA", {{"g", g}}, [=](cudaStream_t s) {
    cells(l, m, n, s, [=] __device__(long i, long j, long k) {
      if (i < 1 || j < 1 || k < 1 || i >= l - 1 || j >= m - 1 || k >= n - 1) return;
      const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
      const int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
      const int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
      float in[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
      for (int q = 0; q < 19; q++) {
        in[q] = p[((q * l + i - cz[q]) * m + j - cy[q]) * n + k - cx[q]];
        rho += in[q];
        ux += cx[q] * in[q];
        uy += cy[q] * in[q];
        uz += cz[q] * in[q];
      }
      ux /= rho;
      uy /= rho;
      uz /= rho;
      float uu = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
      for (int q = 0; q < 19; q++) {
        float t = cx[q] * ux + cy[q] * uy + cz[q] * uz, w = q == 0 ? 1.0f / 3 : q < 7 ? 1.0f / 18 : 1.0f / 36;
        o[((q * l + i) * m + j) * n + k] = 0.4f * in[q] + 0.6f * rho * w * (uu + 3 * t + 4.5f * t * t);
      }
    });
  });
}
