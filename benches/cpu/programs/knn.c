/* The k nearest of many points for each query, by trying all. */
#include "bench.h"

#define DIM 12
#define K 8

static float points[4000 * DIM], queries[500 * DIM];

struct best {
  float d[K];
  int id[K];
};

static void insert(struct best *b, float d, int id) {
  int k = K - 1;
  while (k > 0 && b->d[k - 1] > d) {
    b->d[k] = b->d[k - 1];
    b->id[k] = b->id[k - 1];
    k--;
  }
  b->d[k] = d;
  b->id[k] = id;
}

static float distance(const float *restrict a, const float *restrict b) {
  float s = 0;
  for (int i = 0; i < DIM; i++) {
    float t = a[i] - b[i];
    s += t * t;
  }
  return s;
}

int main(void) {
  /* Multiples of 1/64 in [0, 4): the distances are exact. */
  for (int i = 0; i < 4000 * DIM; i++) points[i] = floor(bench_random(1, i) * 256) / 64;
  for (int i = 0; i < 500 * DIM; i++) queries[i] = floor(bench_random(2, i) * 256) / 64;

  long ids = 0;
  double far = 0;
  bench_start();
  for (int round = 0; round < 10; round++)
    for (int q = 0; q < 500; q++) {
      struct best b;
      for (int k = 0; k < K; k++) {
        b.d[k] = 1e30f;
        b.id[k] = -1;
      }
      for (int p = 0; p < 4000; p++) {
        float d = distance(queries + q * DIM, points + p * DIM);
        if (d < b.d[K - 1]) insert(&b, d, p);
      }
      for (int k = 0; k < K; k++) ids += (k + 1) * (long)b.id[k];
      far += b.d[K - 1];
      queries[q * DIM] = (round + q) % 4;
    }
  bench_stop();
  printf("check knn %ld %.10g\n", ids, far);
  return 0;
}
