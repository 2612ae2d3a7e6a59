/* A table of numbers as text: fields apart by commas, their sums by column, the least and the greatest. */
#include "bench.h"
#include <string.h>

#define ROWS 6000
#define COLUMNS 6

static char text[ROWS * COLUMNS * 12];
static double sums[COLUMNS], least[COLUMNS], greatest[COLUMNS];

static const char *number(const char *p, double *out) {
  int negative = 0;
  if (*p == '-') {
    negative = 1;
    p++;
  }
  long whole = 0;
  while (*p >= '0' && *p <= '9') whole = whole * 10 + (*p++ - '0');
  double v = (double)whole;
  if (*p == '.') {
    p++;
    double scale = 0.1;
    while (*p >= '0' && *p <= '9') {
      v += scale * (*p++ - '0');
      scale *= 0.1;
    }
  }
  *out = negative ? -v : v;
  return p;
}

static int parse(const char *p) {
  int rows = 0;
  for (int c = 0; c < COLUMNS; c++) {
    sums[c] = 0;
    least[c] = 1e30;
    greatest[c] = -1e30;
  }
  while (*p) {
    for (int c = 0; c < COLUMNS; c++) {
      double v;
      p = number(p, &v);
      sums[c] += v;
      if (v < least[c]) least[c] = v;
      if (v > greatest[c]) greatest[c] = v;
      if (*p == ',') p++;
    }
    while (*p == '\n' || *p == '\r') p++;
    rows++;
  }
  return rows;
}

int main(void) {
  char *o = text;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++)
      o += sprintf(o, "%.3f%c", 2000 * bench_random(c + 1, r) - 1000, c + 1 == COLUMNS ? '\n' : ',');

  long rows = 0;
  double total = 0;
  bench_start();
  for (int r = 0; r < 60; r++) {
    rows += parse(text);
    total += sums[r % COLUMNS] + least[1] - greatest[2];
  }
  bench_stop();

  printf("check table %ld %.17g %.17g %.17g\n", rows, total, sums[0], sums[5]);
  return 0;
}
