// Each graph as one kernel, as somebody fuses it by hand: a thread for an element, or for four.
#include "common.cuh"

using uchar = unsigned char;

PEER(chain) {
  long n = r["n"];
  Buffer<float> a(r, "a", n), b(n), c(n), d(n), e(n);
  float *pa = a.p, *pb = b.p, *pc = c.p, *pd = d.p, *pe = e.p;
  measure(r, "CUDA", {{"b", b}, {"c", c}, {"d", d}, {"e", e}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      float x = pa[i], y = 2 * x + 1, z = y * y, w = z - x;
      pb[i] = y;
      pc[i] = z;
      pd[i] = w;
      pe[i] = w / (z + 1);
    });
  });
}

PEER(temporaries) {
  long n = r["n"];
  Buffer<float> a(r, "a", n), b(r, "b", n), y(n);
  float *pa = a.p, *pb = b.p, *py = y.p;
  measure(r, "CUDA", {{"y", y}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      float t = pa[i] - pb[i];
      py[i] = t / sqrtf(t * t + 0.01f);
    });
  });
}

PEER(blend_u8) {
  long n = r["m"] * r["n"];
  Buffer<uchar> a(r, "a", 3 * n), b(r, "b", 3 * n), mask(r, "mask", n), c(3 * n);
  uchar *pa = a.p, *pb = b.p, *pm = mask.p, *pc = c.p;
  // Four pixels are three words of each picture.
  measure(r, "CUDA", {{"c", c}}, [=](cudaStream_t s) {
    each((n + 3) / 4, s, [=] __device__(long q) {
      if (4 * q + 4 <= n) {
        uchar4 w = ((const uchar4 *)pm)[q];
        uchar x[12], y[12], z[12], v[4] = {w.x, w.y, w.z, w.w};
        for (int k = 0; k < 3; k++) {
          ((unsigned *)x)[k] = ((const unsigned *)pa)[3 * q + k];
          ((unsigned *)y)[k] = ((const unsigned *)pb)[3 * q + k];
        }
        for (int k = 0; k < 12; k++) z[k] = (uchar)((x[k] * v[k / 3] + y[k] * (255 - v[k / 3]) + 127) / 255);
        for (int k = 0; k < 3; k++) ((unsigned *)pc)[3 * q + k] = ((unsigned *)z)[k];
      } else {
        for (long i = 12 * q; i < 3 * n; i++) pc[i] = (uchar)((pa[i] * pm[i / 3] + pb[i] * (255 - pm[i / 3]) + 127) / 255);
      }
    });
  });
}

PEER(complex_f64) {
  long n = r["n"];
  Buffer<double> ar(r, "ar", n), ai(r, "ai", n), br(r, "br", n), bi(r, "bi", n), cr(n), ci(n), mag(n);
  double *p = ar.p, *q = ai.p, *u = br.p, *v = bi.p, *x = cr.p, *y = ci.p, *z = mag.p;
  measure(r, "CUDA", {{"cr", cr}, {"ci", ci}, {"mag", mag}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      double re = p[i] * u[i] - q[i] * v[i], im = p[i] * v[i] + q[i] * u[i];
      x[i] = re;
      y[i] = im;
      z[i] = sqrt(re * re + im * im);
    });
  });
}

PEER(hash_i64) {
  long n = r["n"];
  Buffer<long> x(r, "x", n), key(r, "key", n), h(n);
  long *px = x.p, *pk = key.p, *ph = h.p;
  measure(r, "CUDA", {{"x", x}, {"h", h}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      long v = (px[i] ^ (long)((unsigned long)pk[i] << 7)) + 40503;
      px[i] = v;
      ph[i] = (v ^ (v >> 3)) & 65535;
    });
  });
}

PEER(gelu_bias) {
  long m = r["m"], n = r["n"];
  Buffer<float> x(r, "x", m * n), y(r, "y", m * n), bias(r, "bias", n), z(m * n);
  float *px = x.p, *py = y.p, *pb = bias.p, *pz = z.p;
  measure(r, "CUDA", {{"z", z}}, [=](cudaStream_t s) {
    cells(1, m, n, s, [=] __device__(long, long i, long j) {
      float v = py[i * n + j] + pb[j];
      pz[i * n + j] = px[i * n + j] + 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    });
  });
}

PEER(adam) {
  long n = r["n"];
  Buffer<float> g(r, "g", n), p(r, "p", n), m(r, "m", n), v(r, "v", n);
  float *pg = g.p, *pp = p.p, *pm = m.p, *pv = v.p;
  measure(r, "CUDA", {{"p", p}, {"m", m}, {"v", v}}, [=](cudaStream_t s) {
    each(n, s, [=] __device__(long i) {
      float d = pg[i], x = 0.9f * pm[i] + 0.1f * d, y = 0.999f * pv[i] + 0.001f * d * d;
      pm[i] = x;
      pv[i] = y;
      pp[i] -= 0.001f * x / (sqrtf(y) + 1e-8f);
    });
  });
}

PEER(select_i32) {
  long l = r["l"], m = r["m"] * r["n"];
  Buffer<int> a(r, "a", l * m), level(r, "level", m), label(l * m), excess(l * m);
  int *pa = a.p, *pl = level.p, *pb = label.p, *pe = excess.p;
  measure(r, "CUDA", {{"label", label}, {"excess", excess}}, [=](cudaStream_t s) {
    cells(1, l, m, s, [=] __device__(long, long i, long j) {
      int d = pa[i * m + j] - pl[j];
      pb[i * m + j] = d > 0 ? (int)i + 1 : 0;
      pe[i * m + j] = d > 0 ? d : 0;
    });
  });
}

PEER(broadcast_3d) {
  long l = r["l"], m = r["m"], n = r["n"];
  Buffer<float> a(r, "a", l * n), b(r, "b", m * n), t(r, "s", l * m), c(l * m * n);
  float *pa = a.p, *pb = b.p, *pt = t.p, *pc = c.p;
  measure(r, "CUDA", {{"c", c}}, [=](cudaStream_t s) {
    each(l * m * n, s, [=] __device__(long x) {
      int k = (int)(x % n), row = (int)(x / n), j = row % (int)m, i = row / (int)m;
      pc[x] = pt[row] * (pa[i * n + k] + pb[j * n + k]);
    });
  });
}
