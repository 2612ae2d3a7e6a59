/* Multigrid V-cycles for Poisson's equation on a square: damped Jacobi, full weighting, bilinear. */
#include "bench.h"
#include <string.h>

#define LEVELS 7

typedef struct {
  int n; /* interior points a side */
  double h2;
  double *u, *f, *r;
} Level;

static Level grid[LEVELS];

#define AT(a, i, j) (a)[(size_t)(i) * (n + 2) + (j)]

static void smooth(Level *g, int sweeps) {
  const int n = g->n;
  double *u = g->u, *t = g->r;
  while (sweeps-- > 0) {
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        AT(t, i, j) = 0.2 * AT(u, i, j) +
                      0.2 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1) + g->h2 * AT(g->f, i, j));
    double *s = u;
    u = t;
    t = s;
  }
  g->u = u;
  g->r = t;
}

static double residual(Level *g) {
  const int n = g->n;
  double worst = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double r = AT(g->f, i, j) - (4 * AT(g->u, i, j) - AT(g->u, i - 1, j) - AT(g->u, i + 1, j) - AT(g->u, i, j - 1) -
                                   AT(g->u, i, j + 1)) / g->h2;
      AT(g->r, i, j) = r;
      worst = fmax(worst, fabs(r));
    }
  return worst;
}

static void restrict_to(const Level *fine, Level *coarse) {
  const double *r = fine->r;
  int m = coarse->n;
  for (int I = 1; I <= m; I++)
    for (int J = 1; J <= m; J++) {
      const int n = fine->n, i = 2 * I, j = 2 * J;
      double v = 4 * AT(r, i, j) + 2 * (AT(r, i - 1, j) + AT(r, i + 1, j) + AT(r, i, j - 1) + AT(r, i, j + 1)) +
                 AT(r, i - 1, j - 1) + AT(r, i - 1, j + 1) + AT(r, i + 1, j - 1) + AT(r, i + 1, j + 1);
      coarse->f[I * (m + 2) + J] = v / 16;
    }
}

static void prolong_add(const Level *coarse, Level *fine) {
  const int n = fine->n, m = coarse->n;
  const double *c = coarse->u;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      int I = i >> 1, J = j >> 1, oi = i & 1, oj = j & 1;
      double a = c[I * (m + 2) + J], b = c[I * (m + 2) + J + oj], d = c[(I + oi) * (m + 2) + J],
             e = c[(I + oi) * (m + 2) + J + oj];
      AT(fine->u, i, j) += 0.25 * (a + b + d + e);
    }
}

static void vcycle(int l) {
  Level *g = &grid[l];
  if (l == LEVELS - 1) {
    smooth(g, 40);
    return;
  }
  smooth(g, 2);
  residual(g);
  Level *c = &grid[l + 1];
  restrict_to(g, c);
  memset(c->u, 0, sizeof(double) * (c->n + 2) * (c->n + 2));
  vcycle(l + 1);
  prolong_add(c, g);
  smooth(g, 2);
}

int main(void) {
  int n = 255;
  for (int l = 0; l < LEVELS; l++, n = (n - 1) / 2) {
    size_t cells = (size_t)(n + 2) * (n + 2);
    grid[l] = (Level){.n = n, .h2 = 1.0 / ((n + 1.0) * (n + 1.0))};
    grid[l].u = calloc(cells, sizeof(double));
    grid[l].f = calloc(cells, sizeof(double));
    grid[l].r = calloc(cells, sizeof(double));
  }
  n = grid[0].n;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) AT(grid[0].f, i, j) = sin(0.02 * i) * j * 0.01 + bench_random(1, i * n + j);
  int cycles = 0;
  bench_start();
  for (int right = 0; right < 5; right++) {
    double start = residual(&grid[0]), now = start;
    while (now > 1e-6 * start && cycles < 60 * (right + 1)) {
      vcycle(0);
      now = residual(&grid[0]);
      cycles++;
    }
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++) AT(grid[0].f, i, j) += 0.3 * cos(0.05 * i * right) * sin(0.01 * j);
  }
  bench_stop();
  double sum = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) sum += AT(grid[0].u, i, j);
  printf("check multigrid %d %.7g\n", cycles, sum);
  for (int l = 0; l < LEVELS; l++) free(grid[l].u), free(grid[l].f), free(grid[l].r);
  return 0;
}
