/* Smoothed particles in the plane: density by a grid of cells with lists. */
#include "bench.h"

#define MAXCELL 64

typedef struct {
  float x, y, vx, vy, rho;
} particle;

typedef struct {
  int side;
  int *head, *next;
} grid;

static const float H = 0.02f;

static int cell_of(const grid *g, const particle *p) {
  int cx = (int)(p->x * g->side), cy = (int)(p->y * g->side);
  if (cx < 0) cx = 0;
  if (cy < 0) cy = 0;
  if (cx >= g->side) cx = g->side - 1;
  if (cy >= g->side) cy = g->side - 1;
  return cy * g->side + cx;
}

static void build(grid *g, const particle *p, int n) {
  for (int c = 0; c < g->side * g->side; c++) g->head[c] = -1;
  for (int i = 0; i < n; i++) {
    int c = cell_of(g, p + i);
    g->next[i] = g->head[c];
    g->head[c] = i;
  }
}

static void density(const grid *g, particle *p, int n) {
  for (int i = 0; i < n; i++) {
    int c = cell_of(g, p + i), cx = c % g->side, cy = c / g->side;
    float rho = 0;
    for (int y = cy - 1; y <= cy + 1; y++) {
      if (y < 0 || y >= g->side) continue;
      for (int x = cx - 1; x <= cx + 1; x++) {
        if (x < 0 || x >= g->side) continue;
        for (int j = g->head[y * g->side + x]; j >= 0; j = g->next[j]) {
          float dx = p[i].x - p[j].x, dy = p[i].y - p[j].y;
          float d = H * H - (dx * dx + dy * dy);
          if (d > 0) rho += d * d * d;
        }
      }
    }
    p[i].rho = rho / (H * H * H * H * H * H);
  }
}

static void move(particle *p, int n, float dt) {
  for (particle *q = p; q < p + n; q++) {
    q->vy -= 0.5f * dt;
    q->x += q->vx * dt;
    q->y += q->vy * dt;
    if (q->x < 0) q->x = -q->x, q->vx = -q->vx;
    if (q->x > 1) q->x = 2 - q->x, q->vx = -q->vx;
    if (q->y < 0) q->y = -q->y, q->vy = -q->vy;
    if (q->y > 1) q->y = 2 - q->y, q->vy = -q->vy;
  }
}

int main(void) {
  int n = 12000;
  grid g = {50, malloc(2500 * sizeof(int)), malloc(n * sizeof(int))};
  particle *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; i++) {
    p[i] = (particle){bench_random(1, i), bench_random(2, i), bench_random(3, i) - 0.5,
                      bench_random(4, i) - 0.5, 0};
  }

  double total = 0;
  bench_start();
  for (int t = 0; t < 25; t++) {
    build(&g, p, n);
    density(&g, p, n);
    move(p, n, 0.002f);
    for (int i = 0; i < n; i += 100) total += p[i].rho;
  }
  bench_stop();

  double mean = 0;
  for (int i = 0; i < n; i++) mean += p[i].rho;
  printf("check sph %.6g %.6g\n", total, mean / n);
  free(g.head);
  free(g.next);
  free(p);
  return 0;
}
