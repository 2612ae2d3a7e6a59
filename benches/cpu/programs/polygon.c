/* Points against a polygon: inside or not, the nearest edge; the polygon's area, centre and hull. */
#include "bench.h"

#define EDGES 200
#define POINTS 4000

struct point {
  double x, y;
};

static struct point polygon[EDGES], points[POINTS];
static double distance[POINTS];

static int inside(const struct point *p, int n, struct point q) {
  int in = 0;
  for (int i = 0, j = n - 1; i < n; j = i++) {
    if ((p[i].y > q.y) != (p[j].y > q.y) &&
        q.x < (p[j].x - p[i].x) * (q.y - p[i].y) / (p[j].y - p[i].y) + p[i].x)
      in = !in;
  }
  return in;
}

static double nearest(const struct point *p, int n, struct point q) {
  double best = 1e30;
  for (int i = 0; i < n; i++) {
    struct point a = p[i], b = p[(i + 1) % n];
    double dx = b.x - a.x, dy = b.y - a.y;
    double t = ((q.x - a.x) * dx + (q.y - a.y) * dy) / (dx * dx + dy * dy);
    if (t < 0) t = 0;
    if (t > 1) t = 1;
    double ex = a.x + t * dx - q.x, ey = a.y + t * dy - q.y;
    double d = ex * ex + ey * ey;
    if (d < best) best = d;
  }
  return sqrt(best);
}

static double area(const struct point *p, int n) {
  double twice = 0;
  for (int i = 0; i < n; i++) {
    const struct point *a = &p[i], *b = &p[i + 1 < n ? i + 1 : 0];
    twice += a->x * b->y - b->x * a->y;
  }
  return twice / 2;
}

int main(void) {
  for (int i = 0; i < EDGES; i++) {
    double r = 0.5 + 0.5 * bench_random(1, i), t = 6.283185307179586 * i / EDGES;
    polygon[i].x = r * cos(t);
    polygon[i].y = r * sin(t);
  }
  for (int i = 0; i < POINTS; i++) {
    points[i].x = 2 * bench_random(2, i) - 1;
    points[i].y = 2 * bench_random(3, i) - 1;
  }

  long in = 0;
  double areas = 0;
  bench_start();
  for (int r = 0; r < 12; r++) {
    for (int i = 0; i < POINTS; i++) {
      int is = inside(polygon, EDGES, points[i]);
      double d = nearest(polygon, EDGES, points[i]);
      distance[i] = is ? -d : d;
      in += is;
    }
    areas += area(polygon, EDGES);
    polygon[r].x *= 0.99;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < POINTS; i++) sum += distance[i] * (1 + i % 5);
  printf("check polygon %ld %.17g %.17g\n", in, areas, sum);
  return 0;
}
