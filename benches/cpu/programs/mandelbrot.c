/* How many steps each point of the plane takes to leave the circle, at most 200. */
#include "bench.h"

#define W 400
#define H 300
#define LIMIT 200

static int counts[H][W];

static void mandelbrot(double left, double top, double size) {
  for (int row = 0; row < H; row++)
    for (int column = 0; column < W; column++) {
      double cx = left + column * size / W, cy = top + row * size / W;
      double x = 0, y = 0;
      int steps = 0;
      while (x * x + y * y <= 4.0 && steps < LIMIT) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        steps++;
      }
      counts[row][column] = steps;
    }
}

int main(void) {
  long sum = 0;
  bench_start();
  for (int r = 0; r < 6; r++) {
    mandelbrot(-2.1 + r * 0.01, -1.1, 3.0);
    for (int i = 0; i < H; i++)
      for (int j = 0; j < W; j++) sum += counts[i][j] * (1 + (i + j) % 13);
  }
  bench_stop();

  printf("check counts %ld %d\n", sum, counts[H / 3][W / 4]);
  return 0;
}
