/* Softmax of the rows of a matrix. */
#include "bench.h"

#define ROWS 512
#define COLUMNS 1000

static void softmax(const float *in, float *out, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    float top = in[i * columns];
    for (int j = 1; j < columns; j++)
      if (in[i * columns + j] > top) top = in[i * columns + j];
    float sum = 0.0f;
    for (int j = 0; j < columns; j++) {
      out[i * columns + j] = expf(in[i * columns + j] - top);
      sum += out[i * columns + j];
    }
    for (int j = 0; j < columns; j++) out[i * columns + j] /= sum;
  }
}

int main(void) {
  float *x = malloc(ROWS * COLUMNS * sizeof *x), *y = malloc(ROWS * COLUMNS * sizeof *y);
  for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(10 * bench_random(1, i));

  float sum = 0;
  bench_start();
  for (int r = 0; r < 40; r++) {
    softmax(x, y, ROWS, COLUMNS);
    x[r * 37] = y[r * 41];
    sum += y[r];
  }
  bench_stop();

  double weighted = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++) weighted += (double)y[i] * (1 + i % 13);
  printf("check softmax %.17g %.9g %.9g\n", weighted, sum, y[COLUMNS]);
  free(x);
  free(y);
  return 0;
}
