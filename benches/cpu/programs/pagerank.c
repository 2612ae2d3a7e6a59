/* PageRank on a random graph: CSR by incoming links, dangling nodes, until it no longer moves. */
#include "bench.h"

typedef struct {
  int n, m;
  int *start, *from; /* incoming */
  int *outdegree;
} Graph;

static Graph build(int n, int m) {
  Graph g = {n, m, calloc(n + 2, sizeof(int)), malloc(m * sizeof(int)), calloc(n, sizeof(int))};
  int *src = malloc(m * sizeof(int)), *dst = malloc(m * sizeof(int));
  for (int e = 0; e < m; e++) {
    double r = bench_random(1, e);
    dst[e] = (int)(r * r * r * n);
    src[e] = (int)(bench_random(2, e) * n * 0.97);
    g.start[dst[e] + 2]++;
    g.outdegree[src[e]]++;
  }
  for (int i = 2; i <= n + 1; i++) g.start[i] += g.start[i - 1];
  for (int e = 0; e < m; e++) g.from[g.start[dst[e] + 1]++] = src[e];
  free(src);
  free(dst);
  return g;
}

static int pagerank(const Graph *g, double *rank, double *share, double d, double tol) {
  int it = 0;
  for (int i = 0; i < g->n; i++) rank[i] = 1.0 / g->n;
  for (;;) {
    double dangling = 0, change = 0;
    for (int i = 0; i < g->n; i++) {
      if (g->outdegree[i])
        share[i] = rank[i] / g->outdegree[i];
      else {
        share[i] = 0;
        dangling += rank[i];
      }
    }
    double base = (1 - d) / g->n + d * dangling / g->n;
    for (int i = 0; i < g->n; i++) {
      double sum = 0;
      for (int k = g->start[i]; k < g->start[i + 1]; k++) sum += share[g->from[k]];
      double now = base + d * sum;
      change += fabs(now - rank[i]);
      rank[i] = now;
    }
    it++;
    if (change < tol || it == 200) return it;
  }
}

int main(void) {
  Graph g = build(20000, 240000);
  double *rank = malloc(g.n * sizeof(double)), *share = malloc(g.n * sizeof(double));
  int rounds = 0;
  double top = 0, weighted = 0;
  bench_start();
  for (int k = 0; k < 12; k++) {
    rounds += pagerank(&g, rank, share, 0.80 + 0.01 * k, 1e-9);
    for (int i = 0; i < g.n; i++) {
      if (rank[i] > top) top = rank[i];
      weighted += rank[i] * i / g.n;
    }
  }
  bench_stop();
  printf("check pagerank %d %.7g %.7g\n", rounds < 2400, top, weighted);
  free(g.start), free(g.from), free(g.outdegree), free(rank), free(share);
  return 0;
}
