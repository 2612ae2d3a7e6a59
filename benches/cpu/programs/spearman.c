/* Spearman's rank correlation with ties (midranks), with a permutation test. */
#include "bench.h"

#define N 300
#define PERMUTATIONS 4000

static void midranks(const double *v, int n, double *rank) {
  for (int i = 0; i < n; i++) {
    int less = 0, equal = 0;
    for (int j = 0; j < n; j++) {
      less += v[j] < v[i];
      equal += v[j] == v[i];
    }
    rank[i] = less + (equal + 1) / 2.0;
  }
}

static double pearson(const double *a, const double *b, int n) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (int i = 0; i < n; i++) {
    sa += a[i];
    sb += b[i];
    saa += a[i] * a[i];
    sbb += b[i] * b[i];
    sab += a[i] * b[i];
  }
  return (n * sab - sa * sb) / sqrt((n * saa - sa * sa) * (n * sbb - sb * sb));
}

int main(void) {
  double x[N], y[N], rx[N], ry[N], perm[N];
  for (int i = 0; i < N; i++) {
    x[i] = floor(60 * bench_random(1, i));
    y[i] = floor(0.1 * x[i] + 50 * bench_random(2, i));
  }
  double rho = 0;
  int extreme = 0;
  uint32_t seed = 12345;
  bench_start();
  for (int rep = 0; rep < 290; rep++) {
    midranks(x, N, rx);
    midranks(y, N, ry);
    x[rep] += 1;
  }
  rho = pearson(rx, ry, N);
  for (int i = 0; i < N; i++) perm[i] = ry[i];
  for (int p = 0; p < PERMUTATIONS; p++) {
    for (int i = N - 1; i > 0; i--) {
      seed = seed * 1664525u + 1013904223u;
      int j = (int)((seed >> 8) % (unsigned)(i + 1));
      double t = perm[i];
      perm[i] = perm[j];
      perm[j] = t;
    }
    if (fabs(pearson(rx, perm, N)) >= fabs(rho)) extreme++;
  }
  bench_stop();
  printf("check spearman %.10g %d\n", rho, extreme);
  return 0;
}
