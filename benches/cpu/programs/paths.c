/* Ways through a grid: the distance from a corner by a queue, the cheapest way down, sight along rays. */
#include "bench.h"

#define W 200
#define H 160

static unsigned char wall[H][W];
static int distance[H][W], queue[W * H];
static float height[H][W], cheapest[H][W];
static unsigned char seen[H][W];

static int flood(int sx, int sy) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) distance[y][x] = -1;
  int head = 0, tail = 0, far = 0;
  distance[sy][sx] = 0;
  queue[tail++] = sy * W + sx;
  static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
  while (head < tail) {
    int at = queue[head++], x = at % W, y = at / W;
    for (int d = 0; d < 4; d++) {
      int nx = x + dx[d], ny = y + dy[d];
      if (nx < 0 || ny < 0 || nx >= W || ny >= H || wall[ny][nx] || distance[ny][nx] >= 0) continue;
      distance[ny][nx] = distance[y][x] + 1;
      if (distance[ny][nx] > far) far = distance[ny][nx];
      queue[tail++] = ny * W + nx;
    }
  }
  return far;
}

static float down(void) {
  for (int x = 0; x < W; x++) cheapest[0][x] = height[0][x];
  for (int y = 1; y < H; y++)
    for (int x = 0; x < W; x++) {
      float best = cheapest[y - 1][x];
      if (x > 0) best = fminf(best, cheapest[y - 1][x - 1]);
      if (x + 1 < W) best = fminf(best, cheapest[y - 1][x + 1]);
      cheapest[y][x] = best + height[y][x];
    }
  float best = cheapest[H - 1][0];
  for (int x = 1; x < W; x++)
    if (cheapest[H - 1][x] < best) best = cheapest[H - 1][x];
  return best;
}

static int look(int ox, int oy) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) seen[y][x] = 0;
  int count = 0;
  for (int a = 0; a < 360; a++) {
    float vx = cosf(a * 0.0174533f), vy = sinf(a * 0.0174533f);
    float x = ox + 0.5f, y = oy + 0.5f;
    for (int step = 0; step < 60; step++) {
      int ix = (int)x, iy = (int)y;
      if (ix < 0 || iy < 0 || ix >= W || iy >= H) break;
      if (!seen[iy][ix]) count++;
      seen[iy][ix] = 1;
      if (wall[iy][ix]) break;
      x += vx;
      y += vy;
    }
  }
  return count;
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      wall[y][x] = bench_random(1, y * W + x) < 0.25;
      height[y][x] = (float)bench_random(2, y * W + x);
    }
  wall[0][0] = 0;

  long total = 0;
  double cost = 0;
  bench_start();
  for (int r = 0; r < 80; r++) {
    total += flood(0, 0);
    cost += down();
    total += look(20 + r, 30 + r);
    wall[r + 1][r * 2 + 1] ^= 1;
    height[r][r] += 0.1f;
  }
  bench_stop();

  double sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += distance[y][x] * (1 + x % 5) + cheapest[y][x] + seen[y][x];
  printf("check paths %ld %.17g %.17g\n", total, cost, sum);
  return 0;
}
