/* Causal attention with several heads over a short sequence. */
#include "bench.h"

struct config {
  int seq, heads, dim;
};

static void attend(const struct config *c, const float *q, const float *k, const float *v, float *out,
                   float *score) {
  int width = c->heads * c->dim;
  float scale = 1 / sqrtf(c->dim);
  for (int h = 0; h < c->heads; h++) {
    int off = h * c->dim;
    for (int i = 0; i < c->seq; i++) {
      const float *qi = q + i * width + off;
      float max = -1e30f;
      for (int j = 0; j <= i; j++) {
        const float *kj = k + j * width + off;
        float s = 0;
        for (int d = 0; d < c->dim; d++) s += qi[d] * kj[d];
        score[j] = s * scale;
        if (score[j] > max) max = score[j];
      }
      float sum = 0;
      for (int j = 0; j <= i; j++) {
        score[j] = expf(score[j] - max);
        sum += score[j];
      }
      float *o = out + i * width + off;
      for (int d = 0; d < c->dim; d++) o[d] = 0;
      for (int j = 0; j <= i; j++) {
        float p = score[j] / sum;
        const float *vj = v + j * width + off;
        for (int d = 0; d < c->dim; d++) o[d] += p * vj[d];
      }
    }
  }
}

int main(void) {
  struct config c = {400, 6, 32};
  int n = c.seq * c.heads * c.dim;
  float *q = malloc(n * 4 * sizeof(float)), *k = q + n, *v = k + n, *o = v + n;
  float score[512];
  for (int i = 0; i < n; i++) {
    q[i] = bench_random(1, i) * 2 - 1;
    k[i] = bench_random(2, i) * 2 - 1;
    v[i] = bench_random(3, i);
  }

  bench_start();
  for (int layer = 0; layer < 6; layer++) {
    attend(&c, q, k, v, o, score);
    for (int i = 0; i < n; i++) q[i] = 0.5f * q[i] + o[i];
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < n; i++) sum += o[i];
  printf("check attention %.5g %.5g %.5g\n", sum, o[0], o[n - 1]);
  free(q);
  return 0;
}
