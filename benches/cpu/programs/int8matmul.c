/* A quantised linear layer: int8 activations, int8 weights, zero points, int32 sums, requantised. */
#include "bench.h"

typedef struct {
  int rows, cols;
  int8_t *data;
  int32_t *rowsum;
} QWeights;

static int32_t saturating_doubling_high_mul(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) return INT32_MAX;
  int64_t ab = (int64_t)a * b;
  int32_t nudge = ab >= 0 ? (1 << 30) : 1 - (1 << 30);
  return (int32_t)((ab + nudge) / (1ll << 31));
}

static int32_t rounding_shift(int32_t x, int e) {
  int32_t mask = (1 << e) - 1, rem = x & mask, threshold = (mask >> 1) + (x < 0);
  return (x >> e) + (rem > threshold);
}

static void qlinear(const QWeights *w, const int8_t *act, int batch, int8_t zero, const int32_t *bias, const int32_t *mult,
                    int shift, int8_t *out) {
  for (int b = 0; b < batch; b++) {
    const int8_t *x = act + b * w->cols;
    for (int r = 0; r < w->rows; r++) {
      const int8_t *q = w->data + r * w->cols;
      int32_t acc = bias[r] - zero * w->rowsum[r];
      for (int k = 0; k < w->cols; k++) acc += x[k] * q[k];
      int32_t v = rounding_shift(saturating_doubling_high_mul(acc, mult[r]), shift) - 3;
      out[b * w->rows + r] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
    }
  }
}

int main(void) {
  enum { M = 96, K = 384, N = 384 };
  static int8_t weights[N * K], a[M * K], b[M * N];
  static int32_t sums[N], bias[N], mult[N];
  QWeights w = {N, K, weights, sums};
  for (int i = 0; i < N * K; i++) weights[i] = (int8_t)(bench_random(1, i) * 255 - 127);
  for (int i = 0; i < M * K; i++) a[i] = (int8_t)(bench_random(2, i) * 255 - 127);
  for (int r = 0; r < N; r++) {
    bias[r] = (int32_t)(bench_random(3, r) * 2000 - 1000);
    mult[r] = (1 << 30) + (int32_t)(bench_random(4, r) * (1 << 29));
    for (int k = 0; k < K; k++) sums[r] += weights[r * K + k];
  }
  long sum = 0;
  bench_start();
  for (int layer = 0; layer < 40; layer++) {
    qlinear(&w, a, M, (int8_t)(layer - 4), bias, mult, 9, b);
    for (int i = 0; i < M * N; i++) {
      sum += b[i] * (i % 13 + 1);
      a[i] = b[i] ^ (i & 3);
    }
  }
  bench_stop();
  printf("check int8matmul %ld\n", sum);
  return 0;
}
