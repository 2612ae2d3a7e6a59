/* Layer normalisation of the rows of a matrix. */
#include "bench.h"

#define ROWS 512
#define COLUMNS 768

static float x[ROWS][COLUMNS], y[ROWS][COLUMNS], scale[COLUMNS], shift[COLUMNS];

static void layernorm(float in[ROWS][COLUMNS], float out[ROWS][COLUMNS]) {
  for (int i = 0; i < ROWS; i++) {
    float mean = 0;
    for (int j = 0; j < COLUMNS; j++) mean += in[i][j];
    mean /= COLUMNS;
    float variance = 0;
    for (int j = 0; j < COLUMNS; j++) variance += (in[i][j] - mean) * (in[i][j] - mean);
    variance /= COLUMNS;
    float inverse = 1.0f / sqrtf(variance + 1e-5f);
    for (int j = 0; j < COLUMNS; j++) out[i][j] = (in[i][j] - mean) * inverse * scale[j] + shift[j];
  }
}

int main(void) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) x[i][j] = (float)bench_random(1, i * COLUMNS + j);
  for (int j = 0; j < COLUMNS; j++) {
    scale[j] = 0.5f + (float)bench_random(2, j);
    shift[j] = (float)bench_random(3, j) - 0.5f;
  }

  bench_start();
  for (int r = 0; r < 150; r++) {
    layernorm(x, y);
    layernorm(y, x);
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) sum += (double)x[i][j] * (1 + (i + j) % 13);
  printf("check x %.17g %.9g %.9g\n", sum, x[0][0], x[ROWS / 2][COLUMNS / 3]);
  return 0;
}
