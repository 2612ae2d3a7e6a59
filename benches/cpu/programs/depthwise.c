/* A mobile block in NHWC: depthwise 3 x 3 with stride, pointwise 1 x 1, ReLU6, average pooling. */
#include "bench.h"

static float relu6(float v) { return v < 0 ? 0 : v > 6 ? 6 : v; }

/* in[h][w][c], filter[3][3][c], out[(h+s-1)/s][(w+s-1)/s][c]; zero padding of one */
static void depthwise3x3(const float *in, int h, int w, int c, const float *filter, int s, float *out) {
  int oh = (h + s - 1) / s, ow = (w + s - 1) / s;
  for (int y = 0; y < oh; y++)
    for (int x = 0; x < ow; x++) {
      float *o = out + (y * ow + x) * c;
      for (int k = 0; k < c; k++) o[k] = 0;
      for (int fy = 0; fy < 3; fy++) {
        int iy = y * s + fy - 1;
        if (iy < 0 || iy >= h) continue;
        for (int fx = 0; fx < 3; fx++) {
          int ix = x * s + fx - 1;
          if (ix < 0 || ix >= w) continue;
          const float *p = in + (iy * w + ix) * c, *f = filter + (fy * 3 + fx) * c;
          for (int k = 0; k < c; k++) o[k] += p[k] * f[k];
        }
      }
      for (int k = 0; k < c; k++) o[k] = relu6(o[k]);
    }
}

static void pointwise(const float *in, int pixels, int ci, const float *w, const float *bias, int co, float *out) {
  for (int p = 0; p < pixels; p++)
    for (int o = 0; o < co; o++) {
      float s = bias[o];
      for (int i = 0; i < ci; i++) s += in[p * ci + i] * w[i * co + o];
      out[p * co + o] = relu6(s);
    }
}

static void avgpool_all(const float *in, int pixels, int c, float *out) {
  for (int k = 0; k < c; k++) out[k] = 0;
  for (int p = 0; p < pixels; p++)
    for (int k = 0; k < c; k++) out[k] += in[p * c + k];
  for (int k = 0; k < c; k++) out[k] /= pixels;
}

int main(void) {
  int h = 56, w = 56, c1 = 32, c2 = 64;
  float *in = malloc(h * w * c1 * sizeof(float)), *mid = malloc(h * w * c1 * sizeof(float));
  float *wide = malloc(h * w * c2 * sizeof(float)), *out = malloc(h * w * c2 * sizeof(float));
  float *f1 = malloc(9 * c1 * sizeof(float)), *f2 = malloc(9 * c2 * sizeof(float));
  float *pw = malloc(c1 * c2 * sizeof(float)), *bias = malloc(c2 * sizeof(float)), *pool = malloc(c2 * sizeof(float));
  for (int i = 0; i < h * w * c1; i++) in[i] = (float)bench_random(1, i);
  for (int i = 0; i < 9 * c1; i++) f1[i] = (float)(bench_random(2, i) - 0.4);
  for (int i = 0; i < 9 * c2; i++) f2[i] = (float)(bench_random(3, i) - 0.4);
  for (int i = 0; i < c1 * c2; i++) pw[i] = (float)(bench_random(4, i) - 0.45);
  for (int i = 0; i < c2; i++) bias[i] = (float)bench_random(5, i);

  double sum = 0;
  bench_start();
  for (int r = 0; r < 10; r++) {
    depthwise3x3(in, h, w, c1, f1, 1, mid);
    pointwise(mid, h * w, c1, pw, bias, c2, wide);
    depthwise3x3(wide, h, w, c2, f2, 2, out);
    avgpool_all(out, (h / 2) * (w / 2), c2, pool);
    for (int k = 0; k < c2; k++) {
      sum += pool[k] * (k % 5 + 1);
      bias[k] = 0.9f * bias[k] + 0.01f * pool[k];
    }
  }
  bench_stop();
  printf("check depthwise %.5g\n", sum);
  free(in), free(mid), free(wide), free(out), free(f1), free(f2), free(pw), free(bias), free(pool);
  return 0;
}
