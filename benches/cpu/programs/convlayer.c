/* A layer of convolutions, NCHW, with stride, padding, bias and a clip below zero. */
#include "bench.h"

typedef struct {
  int n, c, h, w;
  float *data;
} tensor;

#define AT(t, i, j, k, l) \
  ((t)->data[(((size_t)(i) * (t)->c + (j)) * (t)->h + (k)) * (t)->w + (l)])

static tensor tensor_new(int n, int c, int h, int w, int seed) {
  tensor t = {n, c, h, w, malloc(sizeof(float) * n * c * h * w)};
  for (int i = 0; i < n * c * h * w; i++) t.data[i] = floor(bench_random(seed, i) * 17) - 8;
  return t;
}

static void conv(const tensor *x, const tensor *k, const float *bias, tensor *y, int stride, int pad) {
  for (int n = 0; n < y->n; n++)
    for (int o = 0; o < y->c; o++)
      for (int i = 0; i < y->h; i++)
        for (int j = 0; j < y->w; j++) {
          float s = bias[o];
          for (int c = 0; c < x->c; c++)
            for (int p = 0; p < k->h; p++) {
              int row = i * stride + p - pad;
              if (row < 0 || row >= x->h) continue;
              for (int q = 0; q < k->w; q++) {
                int col = j * stride + q - pad;
                if (col < 0 || col >= x->w) continue;
                s += AT(x, n, c, row, col) * AT(k, o, c, p, q);
              }
            }
          AT(y, n, o, i, j) = s > 0 ? s : 0;
        }
}

static void pool(const tensor *x, tensor *y) {
  for (int n = 0; n < y->n; n++)
    for (int c = 0; c < y->c; c++)
      for (int i = 0; i < y->h; i++)
        for (int j = 0; j < y->w; j++) {
          float m = AT(x, n, c, 2 * i, 2 * j);
          for (int p = 0; p < 2; p++)
            for (int q = 0; q < 2; q++) {
              float v = AT(x, n, c, 2 * i + p, 2 * j + q);
              if (v > m) m = v;
            }
          AT(y, n, c, i, j) = m;
        }
}

int main(void) {
  tensor x = tensor_new(2, 12, 48, 48, 1), k = tensor_new(16, 12, 3, 3, 2);
  tensor y = tensor_new(2, 16, 48, 48, 3), z = tensor_new(2, 16, 24, 24, 4);
  float bias[16];
  for (int i = 0; i < 16; i++) bias[i] = i - 8;

  bench_start();
  for (int r = 0; r < 13; r++) {
    conv(&x, &k, bias, &y, 1, 1);
    pool(&y, &z);
    x.data[r * 100]++;
  }
  bench_stop();

  double a = 0, b = 0;
  for (int i = 0; i < 2 * 16 * 48 * 48; i++) a += y.data[i];
  for (int i = 0; i < 2 * 16 * 24 * 24; i++) b += z.data[i] * (i % 5);
  printf("check convlayer %.10g %.10g\n", a, b);
  free(x.data);
  free(k.data);
  free(y.data);
  free(z.data);
  return 0;
}
