/* A recursive Fourier transform, and a convolution of two long signals with it. */
#include "bench.h"

typedef struct {
  double re, im;
} cplx;

static cplx *root;
static int rootn;

static void fft(const cplx *in, cplx *out, int n, int stride, int sign) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int half = n / 2;
  fft(in, out, half, 2 * stride, sign);
  fft(in + stride, out + half, half, 2 * stride, sign);
  int hop = rootn / n;
  for (int k = 0; k < half; k++) {
    cplx w = root[k * hop], e = out[k], o = out[k + half];
    double wi = sign * w.im;
    cplx t = {w.re * o.re - wi * o.im, w.re * o.im + wi * o.re};
    out[k].re = e.re + t.re;
    out[k].im = e.im + t.im;
    out[k + half].re = e.re - t.re;
    out[k + half].im = e.im - t.im;
  }
}

int main(void) {
  int n = 1 << 15;
  rootn = n;
  root = malloc(n / 2 * sizeof(cplx));
  cplx *a = calloc(n, sizeof(cplx)), *b = calloc(n, sizeof(cplx));
  cplx *fa = malloc(n * sizeof(cplx)), *fb = malloc(n * sizeof(cplx));
  for (int k = 0; k < n / 2; k++) root[k] = (cplx){cos(2 * M_PI * k / n), -sin(2 * M_PI * k / n)};
  for (int i = 0; i < n / 2; i++) {
    a[i].re = floor(bench_random(1, i) * 10);
    b[i].re = floor(bench_random(2, i) * 10);
  }

  long sum = 0, mix = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    fft(a, fa, n, 1, 1);
    fft(b, fb, n, 1, 1);
    for (int i = 0; i < n; i++) {
      cplx p = {fa[i].re * fb[i].re - fa[i].im * fb[i].im, fa[i].re * fb[i].im + fa[i].im * fb[i].re};
      fb[i] = p;
    }
    fft(fb, fa, n, 1, -1);
    for (int i = 0; i < n; i++) {
      long v = lrint(fa[i].re / n);
      sum += v;
      mix += v * (i % 13);
    }
    a[r].re += r;
  }
  bench_stop();
  printf("check fftrecursive %ld %ld\n", sum, mix);
  free(root);
  free(a);
  free(b);
  free(fa);
  free(fb);
  return 0;
}
