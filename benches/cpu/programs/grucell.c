/* A GRU over sequences, batch of several; the weights as PyTorch lays them out. */
#include "bench.h"

enum { IN = 32, HID = 64, BATCH = 8, STEPS = 50 };

typedef struct {
  float w_ih[3 * HID][IN];
  float w_hh[3 * HID][HID];
  float b_ih[3 * HID];
  float b_hh[3 * HID];
} GRUCell;

static GRUCell cell;
static float inputs[STEPS][BATCH][IN], hidden[BATCH][HID];

static inline float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

static void linear(size_t rows, size_t cols, const float w[rows][cols], const float *restrict b, const float *restrict x,
                   float *restrict y) {
  for (size_t r = 0; r < rows; ++r) {
    float acc = b[r];
    for (size_t c = 0; c < cols; ++c) acc += w[r][c] * x[c];
    y[r] = acc;
  }
}

static void gru_step(const GRUCell *g, const float x[static IN], float h[static HID]) {
  float gi[3 * HID], gh[3 * HID];
  linear(3 * HID, IN, g->w_ih, g->b_ih, x, gi);
  linear(3 * HID, HID, g->w_hh, g->b_hh, h, gh);
  for (size_t k = 0; k < HID; ++k) {
    const float r = sigmoid(gi[k] + gh[k]);
    const float z = sigmoid(gi[HID + k] + gh[HID + k]);
    const float n = tanhf(gi[2 * HID + k] + r * gh[2 * HID + k]);
    h[k] = (1 - z) * n + z * h[k];
  }
}

int main(void) {
  for (int r = 0; r < 3 * HID; r++) {
    for (int c = 0; c < IN; c++) cell.w_ih[r][c] = 0.3f * (float)(bench_random(1, r * IN + c) - 0.5);
    for (int c = 0; c < HID; c++) cell.w_hh[r][c] = 0.3f * (float)(bench_random(2, r * HID + c) - 0.5);
    cell.b_ih[r] = cell.b_hh[r] = 0.1f * (float)(bench_random(3, r) - 0.5);
  }
  for (int t = 0; t < STEPS; t++)
    for (int b = 0; b < BATCH; b++)
      for (int i = 0; i < IN; i++) inputs[t][b][i] = (float)(bench_random(4, (t * BATCH + b) * IN + i) - 0.5);
  bench_start();
  for (int rep = 0; rep < 12; rep++)
    for (int t = 0; t < STEPS; t++)
      for (int b = 0; b < BATCH; b++) gru_step(&cell, inputs[t][b], hidden[b]);
  bench_stop();
  double s = 0, a = 0;
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < HID; k++) {
      s += hidden[b][k] * (k % 7 + 1);
      a += fabsf(hidden[b][k]);
    }
  printf("check grucell %.5g %.5g\n", s, a);
  return 0;
}
