/* Life on hexagons: the neighbours of even and odd rows differ; ages, and rules as functions. */
#include "bench.h"

#define ROWS 240
#define COLS 320

typedef unsigned char grid[ROWS + 2][COLS + 2];

static int rule_a(int alive, int n) { return alive ? n == 3 || n == 5 : n == 2; }

static int rule_b(int alive, int n) { return alive ? n == 3 || n == 4 : n == 2; }

static void wrap(grid g) {
  for (int r = 1; r <= ROWS; r++) {
    g[r][0] = g[r][COLS];
    g[r][COLS + 1] = g[r][1];
  }
  for (int c = 0; c < COLS + 2; c++) {
    g[0][c] = g[ROWS][c];
    g[ROWS + 1][c] = g[1][c];
  }
}

static long generation(grid old, grid new, int (*rule)(int, int)) {
  unsigned char table[2][7];
  for (int a = 0; a < 2; a++)
    for (int n = 0; n < 7; n++) table[a][n] = rule(a, n);
  long alive = 0;
  for (int r = 1; r <= ROWS; r++) {
    int s = r % 2;
    for (int c = 1; c <= COLS; c++) {
      int n = old[r][c - 1] + old[r][c + 1] + old[r - 1][c - 1 + s] + old[r - 1][c + s] + old[r + 1][c - 1 + s] +
              old[r + 1][c + s];
      new[r][c] = table[old[r][c]][n];
      alive += new[r][c];
    }
  }
  return alive;
}

int main(void) {
  static grid a, b;
  for (int r = 1; r <= ROWS; r++)
    for (int c = 1; c <= COLS; c++) a[r][c] = bench_random(1, r * COLS + c) < 0.3;

  long total = 0;
  bench_start();
  for (int t = 0; t < 600; t++) {
    wrap(a);
    total += generation(a, b, t % 10 ? rule_a : rule_b);
    wrap(b);
    total += generation(b, a, t % 10 ? rule_a : rule_b);
  }
  bench_stop();

  unsigned long hash = 0;
  for (int r = 1; r <= ROWS; r++)
    for (int c = 1; c <= COLS; c++) hash = hash * 3 + a[r][c];
  printf("check hexlife %ld %lu\n", total, hash);
  return 0;
}
