/* Flood filling with a stack of spans: the areas of a picture, one by one. */
#include "bench.h"

typedef struct {
  short x, y;
} point;

static int w = 900, h = 700;
static point *stack;

static long flood(int *label, const char *open, int sx, int sy, int id) {
  long area = 0;
  int top = 0;
  stack[top++] = (point){sx, sy};
  while (top > 0) {
    point p = stack[--top];
    int x = p.x, y = p.y;
    int *row = label + (long)y * w;
    const char *o = open + (long)y * w;
    if (row[x]) continue;
    while (x > 0 && o[x - 1] && !row[x - 1]) x--;
    int up = 0, down = 0;
    for (; x < w && o[x] && !row[x]; x++) {
      row[x] = id;
      area++;
      if (y > 0) {
        int free = o[x - w] && !row[x - w];
        if (free && !up) stack[top++] = (point){x, y - 1};
        up = free;
      }
      if (y < h - 1) {
        int free = o[x + w] && !row[x + w];
        if (free && !down) stack[top++] = (point){x, y + 1};
        down = free;
      }
    }
  }
  return area;
}

int main(void) {
  char *open = malloc(w * h);
  int *label = malloc(w * h * sizeof(int));
  stack = malloc(sizeof(point) * w * h);
  for (int i = 0; i < w * h; i++) open[i] = bench_random(6, i) < 0.6;

  long largest = 0, areas = 0;
  bench_start();
  for (int round = 0; round < 14; round++) {
    for (int i = 0; i < w * h; i++) label[i] = 0;
    int id = 0;
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        if (open[y * w + x] && !label[y * w + x]) {
          long a = flood(label, open, x, y, ++id);
          if (a > largest) largest = a;
        }
    areas += id;
    for (int i = round; i < w * h; i += 50) open[i] = 0;
  }
  bench_stop();

  long sum = 0;
  for (int i = 0; i < w * h; i++) sum += label[i] % 1000;
  printf("check floodfill %ld %ld %ld\n", areas, largest, sum);
  free(open);
  free(label);
  free(stack);
  return 0;
}
