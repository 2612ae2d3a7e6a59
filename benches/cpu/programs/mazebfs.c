/* Distances in a maze from many starts, by a queue in an array. */
#include "bench.h"

enum { W = 301, H = 201 };

typedef struct {
  int head, tail;
  int item[W * H];
} queue;

static char maze[H][W];
static int dist[H][W];
static queue q;

static void explore(int sy, int sx) {
  static const int dy[4] = {-1, 0, 1, 0}, dx[4] = {0, 1, 0, -1};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) dist[y][x] = -1;
  q.head = q.tail = 0;
  dist[sy][sx] = 0;
  q.item[q.tail++] = sy * W + sx;
  while (q.head < q.tail) {
    int c = q.item[q.head++], y = c / W, x = c % W;
    for (int k = 0; k < 4; k++) {
      int v = y + dy[k], u = x + dx[k];
      if (maze[v][u] == '#' || dist[v][u] >= 0) continue;
      dist[v][u] = dist[y][x] + 1;
      q.item[q.tail++] = v * W + u;
    }
  }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int border = !y || !x || y == H - 1 || x == W - 1;
      maze[y][x] = border || ((y % 2 == 0 || x % 2 == 0) && bench_random(1, y * W + x) < 0.35) ? '#' : '.';
    }

  long total = 0;
  int far = 0, reached = 0;
  bench_start();
  for (int s = 0; s < 100; s++) {
    int y = 1 + s * 2 % (H - 2), x = 1 + s * 34 % (W - 2);
    maze[y][x] = '.';
    explore(y, x);
    for (int i = 0; i < H; i++)
      for (int j = 0; j < W; j++)
        if (dist[i][j] >= 0) {
          reached++;
          total += dist[i][j];
          if (dist[i][j] > far) far = dist[i][j];
        }
  }
  bench_stop();
  printf("check mazebfs %d %ld %d\n", reached, total, far);
  return 0;
}
