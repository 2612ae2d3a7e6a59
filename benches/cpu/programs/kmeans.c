/* Points to the nearest of several centres, the centres moved, and each point's distance to its neighbour. */
#include "bench.h"
#include <float.h>

#define N 20000
#define K 16
#define D 3
#define FEW 4000

static float points[N * D];
static int label[N];

static int assign(const float *points, const float *centres, int *label, int n) {
  int changed = 0;
  for (int i = 0; i < n; i++) {
    float best = FLT_MAX;
    int which = 0;
    for (int k = 0; k < K; k++) {
      float distance = 0;
      for (int d = 0; d < D; d++) {
        float diff = points[i * D + d] - centres[k * D + d];
        distance += diff * diff;
      }
      if (distance < best) {
        best = distance;
        which = k;
      }
    }
    if (label[i] != which) {
      label[i] = which;
      changed++;
    }
  }
  return changed;
}

static void move(const float *points, float *centres, const int *label, int n) {
  int count[K] = {0};
  float sum[K][D] = {{0}};
  for (int i = 0; i < n; i++) {
    count[label[i]]++;
    for (int d = 0; d < D; d++) sum[label[i]][d] += points[i * D + d];
  }
  for (int k = 0; k < K; k++)
    if (count[k] > 0)
      for (int d = 0; d < D; d++) centres[k * D + d] = sum[k][d] / count[k];
}

static void nearest(const float *x, const float *y, float *distance, int n) {
  for (int i = 0; i < n; i++) {
    float best = 1e30f;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      float dx = x[i] - x[j], dy = y[i] - y[j];
      float d2 = dx * dx + dy * dy;
      if (d2 < best) best = d2;
    }
    distance[i] = sqrtf(best);
  }
}

int main(void) {
  static float centres[K * D], x[FEW], y[FEW], distance[FEW];
  for (int i = 0; i < N * D; i++) points[i] = (float)bench_random(1, i) + 0.4f * (i / D % 5);
  for (int i = 0; i < FEW; i++) x[i] = points[D * i], y[i] = points[D * i + 1];
  for (int i = 0; i < K * D; i++) centres[i] = points[i * 50];

  long changes = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    int changed = assign(points, centres, label, N);
    changes += changed;
    if (changed == 0) break;
    move(points, centres, label, N);
  }
  nearest(x, y, distance, FEW);
  bench_stop();

  double sum = 0, far = 0;
  for (int i = 0; i < K * D; i++) sum += centres[i] * (1 + i % 13);
  for (int i = 0; i < FEW; i++) far += distance[i];
  printf("check clusters %ld %.17g %.17g %d\n", changes, sum, far, label[N / 2]);
  return 0;
}
