/* Contour lines of a height field: the length of each level and how many cells it crosses. */
#include "bench.h"

#define NX 512
#define NY 400
#define LEVELS 24

float height[NY][NX];
double lengths[LEVELS];
int crossed[LEVELS];
int saddles;

static inline float cut(float a, float b, float level) { return (level - a) / (b - a); }

int main() {
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      double x = i / 60.0, y = j / 50.0;
      double h = sin(x) * cos(y) + 0.4 * sin(2.3 * x + 1.1 * y) + 0.02 * bench_random(1, j * NX + i);
      height[j][i] = floor(1024 * h) / 1024;
    }

  bench_start();
  for (int l = 0; l < LEVELS; l++) {
    float level = -1.0f + 2.0f * l / LEVELS + 0.0123f;
    double len = 0;
    int n = 0;
    for (int j = 0; j < NY - 1; j++) {
      for (int i = 0; i < NX - 1; i++) {
        float a = height[j][i], b = height[j][i + 1], c = height[j + 1][i + 1], d = height[j + 1][i];
        int code = (a > level) | (b > level) << 1 | (c > level) << 2 | (d > level) << 3;
        if (code == 0 || code == 15) continue;
        n++;
        float x0, y0, x1, y1;
        switch (code) {
        case 1: case 14:
          x0 = 0, y0 = cut(a, d, level), x1 = cut(a, b, level), y1 = 0;
          break;
        case 2: case 13:
          x0 = cut(a, b, level), y0 = 0, x1 = 1, y1 = cut(b, c, level);
          break;
        case 3: case 12:
          x0 = 0, y0 = cut(a, d, level), x1 = 1, y1 = cut(b, c, level);
          break;
        case 4: case 11:
          x0 = 1, y0 = cut(b, c, level), x1 = cut(d, c, level), y1 = 1;
          break;
        case 6: case 9:
          x0 = cut(a, b, level), y0 = 0, x1 = cut(d, c, level), y1 = 1;
          break;
        case 7: case 8:
          x0 = 0, y0 = cut(a, d, level), x1 = cut(d, c, level), y1 = 1;
          break;
        default: /* 5 and 10 */
          saddles++;
          x0 = y0 = 0;
          x1 = y1 = 1;
        }
        len += sqrtf((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
      }
    }
    lengths[l] = len;
    crossed[l] = n;
  }
  /* the same again, counting only, with the levels inside */
  int above[LEVELS] = {0};
  for (int rep = 0; rep < 200; rep++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        int k = (int)((height[j][i] + 1.0f) * (LEVELS / 2.0f));
        if (k >= 0 && k < LEVELS) above[k] += rep & 1;
      }
  bench_stop();

  double total = 0;
  long cells = 0;
  unsigned long hist = 0;
  for (int l = 0; l < LEVELS; l++) {
    total += lengths[l] * (l + 1);
    cells += crossed[l];
    hist = hist * 7 + above[l];
  }
  printf("check marchingsquares %.6g %ld %d %lu\n", total, cells, saddles, hist);
  return 0;
}
