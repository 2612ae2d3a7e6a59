/* The game of life on a torus: the neighbours' places are taken modulo height and width. */
#include "bench.h"

static void generation(const int *cells, int *next, int height, int width) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      int count = 0;
      for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
          if (dy == 0 && dx == 0) continue;
          int ny = (y + dy + height) % height;
          int nx = (x + dx + width) % width;
          count += cells[ny * width + nx];
        }
      }
      if (cells[y * width + x])
        next[y * width + x] = count == 2 || count == 3;
      else
        next[y * width + x] = count == 3;
    }
  }
}

int main(int argc, char **argv) {
  int height = argc > 1 ? atoi(argv[1]) : 200, width = argc > 2 ? atoi(argv[2]) : 300;
  int *cells = malloc(height * width * sizeof(int));
  int *next = malloc(height * width * sizeof(int));
  for (int i = 0; i < height * width; i++) cells[i] = bench_random(7, i) < 0.35;

  bench_start();
  for (int g = 0; g < 40; g++) {
    generation(cells, next, height, width);
    int *swap = cells;
    cells = next;
    next = swap;
  }
  bench_stop();

  long alive = 0, where = 0;
  for (int i = 0; i < height * width; i++) {
    alive += cells[i];
    where += cells[i] * (i % 1009);
  }
  printf("check torus %ld %ld\n", alive, where);
  free(cells);
  free(next);
  return 0;
}
