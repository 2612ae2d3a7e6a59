/* The 8x8 cosine transform of the blocks of a picture, quantised, and back. */
#include "bench.h"

enum { WIDTH = 512, HEIGHT = 384 };

static unsigned char in[HEIGHT][WIDTH], out[HEIGHT][WIDTH];
static float c[8][8];

static const int quant[8][8] = {
    {16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},
    {14, 13, 16, 24, 40, 57, 69, 56},     {14, 17, 22, 29, 51, 87, 80, 62},
    {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
    {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};

static void setup(void) {
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++)
      c[u][x] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * 3.14159265358979323846 / 16);
}

static void forward(float b[8][8]) {
  float t[8][8];
  for (int y = 0; y < 8; y++)
    for (int u = 0; u < 8; u++) {
      float s = 0;
      for (int x = 0; x < 8; x++) s += b[y][x] * c[u][x];
      t[y][u] = s;
    }
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      float s = 0;
      for (int y = 0; y < 8; y++) s += t[y][u] * c[v][y];
      b[v][u] = s;
    }
}

static void inverse(float b[8][8]) {
  float t[8][8];
  for (int v = 0; v < 8; v++)
    for (int x = 0; x < 8; x++) {
      float s = 0;
      for (int u = 0; u < 8; u++) s += b[v][u] * c[u][x];
      t[v][x] = s;
    }
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) {
      float s = 0;
      for (int v = 0; v < 8; v++) s += t[v][x] * c[v][y];
      b[y][x] = s;
    }
}

int main(void) {
  setup();
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      in[y][x] = 128 + 60 * sin(x * 0.05 + y * 0.03) + 40 * bench_random(9, y * WIDTH + x);

  long zeros = 0;
  bench_start();
  for (int r = 0; r < 80; r++)
    for (int by = 0; by < HEIGHT; by += 8)
      for (int bx = 0; bx < WIDTH; bx += 8) {
        float b[8][8];
        for (int y = 0; y < 8; y++)
          for (int x = 0; x < 8; x++) b[y][x] = in[by + y][bx + x] - 128.0f;
        forward(b);
        for (int v = 0; v < 8; v++)
          for (int u = 0; u < 8; u++) {
            int q = (int)(b[v][u] / quant[v][u]);
            zeros += q == 0;
            b[v][u] = q * quant[v][u];
          }
        inverse(b);
        for (int y = 0; y < 8; y++)
          for (int x = 0; x < 8; x++) {
            float p = b[y][x] + 128.5f;
            out[by + y][bx + x] = p < 0 ? 0 : p > 255 ? 255 : (unsigned char)p;
          }
      }
  bench_stop();

  long sum = 0, error = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      sum += out[y][x];
      error += abs(in[y][x] - out[y][x]);
    }
  /* Rounding may move a few: what is printed is coarse. */
  printf("check dctblocks %ld %ld %ld\n", (zeros + 50000) / 100000, (sum + 5000) / 10000, (error + 5000) / 10000);
  return 0;
}
