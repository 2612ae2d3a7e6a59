/* Heat on a plate in two arrays of rows that change places. */
#include "bench.h"
typedef struct { int w, h; float **cur, **next; } plate;
static float **rows(int h, int w) {
  float **r = malloc(h * sizeof(float *));
  for (int y = 0; y < h; y++) r[y] = malloc(w * sizeof(float));
  return r;
}
static void step(plate *p) {
  for (int y = 1; y < p->h - 1; y++)
    for (int x = 1; x < p->w - 1; x++)
      p->next[y][x] = 0.25f * (p->cur[y - 1][x] + p->cur[y + 1][x] + p->cur[y][x - 1] + p->cur[y][x + 1]);
  for (int y = 0; y < p->h; y++) p->next[y][0] = p->next[y][1], p->next[y][p->w - 1] = p->next[y][p->w - 2];
  for (int x = 0; x < p->w; x++) p->next[0][x] = 1.0f, p->next[p->h - 1][x] = 0.0f;
  float **t = p->cur;
  p->cur = p->next;
  p->next = t;
}
int main(void) {
  plate p = {600, 500, rows(500, 600), rows(500, 600)};
  for (int y = 0; y < p.h; y++) for (int x = 0; x < p.w; x++) p.cur[y][x] = bench_random(1, y * p.w + x), p.next[y][x] = 0;
  bench_start();
  for (int i = 0; i < 200; i++) step(&p);
  bench_stop();
  double s = 0;
  for (int y = 0; y < p.h; y++) for (int x = 0; x < p.w; x++) s += p.cur[y][x] * (x + y);
  printf("check rowsheat %.17g\n", s);
  return 0;
}
