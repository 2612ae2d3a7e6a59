/* AdamW over parameter groups with the gradients clipped by their global norm. */
#include "bench.h"

typedef struct {
  const char *name;
  size_t n;
  float lr, decay;
  float *p, *g, *m, *v;
} Group;

typedef struct {
  float beta1, beta2, eps, clip;
  int step;
} Adam;

static float clip_gradients(Group *groups, int count, float limit) {
  double sq = 0;
  for (int k = 0; k < count; k++)
    for (size_t i = 0; i < groups[k].n; i++) sq += (double)groups[k].g[i] * groups[k].g[i];
  float norm = (float)sqrt(sq);
  if (norm > limit) {
    float s = limit / (norm + 1e-6f);
    for (int k = 0; k < count; k++)
      for (size_t i = 0; i < groups[k].n; i++) groups[k].g[i] *= s;
  }
  return norm;
}

static void adam(Adam *a, Group *groups, int count) {
  a->step++;
  const float c1 = 1 - powf(a->beta1, a->step), c2 = 1 - powf(a->beta2, a->step);
  for (int k = 0; k < count; k++) {
    Group *q = &groups[k];
    for (size_t i = 0; i < q->n; i++) {
      q->m[i] = a->beta1 * q->m[i] + (1 - a->beta1) * q->g[i];
      q->v[i] = a->beta2 * q->v[i] + (1 - a->beta2) * q->g[i] * q->g[i];
      float mh = q->m[i] / c1, vh = q->v[i] / c2;
      q->p[i] -= q->lr * (mh / (sqrtf(vh) + a->eps) + q->decay * q->p[i]);
    }
  }
}

int main(void) {
  Group groups[] = {
      {.name = "embedding", .n = 60000, .lr = 1e-2f, .decay = 0},
      {.name = "weights", .n = 90000, .lr = 3e-3f, .decay = 0.01f},
      {.name = "biases", .n = 900, .lr = 6e-3f},
  };
  const int count = sizeof groups / sizeof *groups;
  for (int k = 0; k < count; k++) {
    size_t n = groups[k].n;
    float *block = calloc(4 * n, sizeof(float));
    groups[k].p = block;
    groups[k].g = block + n;
    groups[k].m = block + 2 * n;
    groups[k].v = block + 3 * n;
    for (size_t i = 0; i < n; i++) groups[k].p[i] = (float)(bench_random(k, i) - 0.5);
  }
  Adam a = {.beta1 = 0.9f, .beta2 = 0.999f, .eps = 1e-8f, .clip = 50};
  double norms = 0;
  bench_start();
  for (int t = 0; t < 60; t++) {
    for (int k = 0; k < count; k++) {
      Group *q = &groups[k];
      for (size_t i = 0; i < q->n; i++) q->g[i] = q->p[i] - 0.01f * (float)(i % 11) + 0.001f * (float)(t % 3);
    }
    norms += clip_gradients(groups, count, a.clip);
    adam(&a, groups, count);
  }
  bench_stop();
  double s = 0;
  for (int k = 0; k < count; k++) {
    for (size_t i = 0; i < groups[k].n; i++) s += fabsf(groups[k].p[i]);
    free(groups[k].p);
  }
  printf("check adamstep %.5g %.5g %d\n", norms, s, a.step);
  return 0;
}
