/* Hough's transform: which lines have most of the points of a picture. */
#include "bench.h"

#define ANGLES 180
#define MAXRHO 800

static int votes[ANGLES][2 * MAXRHO];
static int cosine[ANGLES], sine[ANGLES];

struct peak {
  int angle, rho, count;
};

static struct peak strongest(void) {
  struct peak p = {0, 0, -1};
  for (int a = 0; a < ANGLES; a++)
    for (int r = 0; r < 2 * MAXRHO; r++)
      if (votes[a][r] > p.count) {
        p.count = votes[a][r];
        p.angle = a;
        p.rho = r - MAXRHO;
      }
  return p;
}

int main(void) {
  static unsigned char edge[480][640];
  for (int a = 0; a < ANGLES; a++) {
    cosine[a] = (int)floor(cos(a * 3.14159265358979 / ANGLES) * 4096 + 0.5);
    sine[a] = (int)floor(sin(a * 3.14159265358979 / ANGLES) * 4096 + 0.5);
  }
  for (int y = 0; y < 480; y++)
    for (int x = 0; x < 640; x++)
      edge[y][x] = bench_random(4, y * 640 + x) < 0.05 || x + y == 600 || y == 2 * x - 100;

  long peaks = 0;
  struct peak p = {0, 0, 0};
  bench_start();
  for (int round = 0; round < 24; round++) {
    for (int a = 0; a < ANGLES; a++)
      for (int r = 0; r < 2 * MAXRHO; r++) votes[a][r] = 0;
    for (int y = 0; y < 480; y++)
      for (int x = 0; x < 640; x++) {
        if (!edge[y][x]) continue;
        for (int a = 0; a < ANGLES; a++) {
          int rho = (x * cosine[a] + y * sine[a]) >> 12;
          votes[a][rho + MAXRHO]++;
        }
      }
    p = strongest();
    peaks += p.angle * 1000L + p.rho;
    for (int x = round; x < 640; x += 12) edge[round * 20][x] ^= 1;
  }
  bench_stop();
  printf("check hough %ld %d %d %d\n", peaks, p.angle, p.rho, p.count);
  return 0;
}
