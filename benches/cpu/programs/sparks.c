/* Sparks as an array of structures: each falls, bounces, cools, and starts anew when it is out. */
#include "bench.h"

#define N 5000

struct spark {
  float x, y, vx, vy;
  float heat;
  int age;
  unsigned char alive, bounces;
};

static int update(struct spark *sparks, int n, float dt) {
  int alive = 0;
  for (int i = 0; i < n; i++) {
    struct spark *s = &sparks[i];
    if (!s->alive) continue;
    s->vy -= 9.81f * dt;
    s->x += s->vx * dt;
    s->y += s->vy * dt;
    if (s->y < 0.0f) {
      s->y = -s->y;
      s->vy = -0.7f * s->vy;
      s->bounces++;
    }
    s->heat *= 0.995f;
    s->age++;
    if (s->heat < 0.05f || s->bounces > 20) s->alive = 0;
    alive++;
  }
  return alive;
}

static void revive(struct spark *sparks, int n) {
  for (int i = 0; i < n; i++) {
    if (sparks[i].alive == 0) {
      sparks[i].alive = 1;
      sparks[i].bounces = 0;
      sparks[i].heat = 1.0f;
      sparks[i].y = 1.0f + 0.001f * (i % 100);
      sparks[i].vy = 3.0f;
    }
  }
}

static float energy(const struct spark *sparks, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; i++)
    sum += 0.5f * (sparks[i].vx * sparks[i].vx + sparks[i].vy * sparks[i].vy) + 9.81f * sparks[i].y;
  return sum;
}

int main(void) {
  struct spark *sparks = calloc(N, sizeof *sparks);
  for (int i = 0; i < N; i++) {
    sparks[i].y = (float)bench_random(1, i);
    sparks[i].vx = (float)bench_random(2, i) - 0.5f;
    sparks[i].vy = (float)bench_random(3, i) * 5;
    sparks[i].heat = 0.1f + (float)bench_random(4, i);
    sparks[i].alive = 1;
  }

  long alive = 0;
  double total = 0;
  bench_start();
  for (int t = 0; t < 8000; t++) {
    alive += update(sparks, N, 0.01f);
    if (t % 10 == 0) {
      revive(sparks, N);
      total += energy(sparks, N);
    }
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += sparks[i].x + sparks[i].y * (1 + i % 7) + sparks[i].heat + sparks[i].age;
  printf("check sparks %ld %.17g %.17g\n", alive, total, sum);
  free(sparks);
  return 0;
}
