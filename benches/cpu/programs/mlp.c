/* A small network of one hidden layer, trained by gradient descent, sample by sample. */
#include "bench.h"

#define IN 64
#define HID 96
#define OUT 10

struct net {
  double w1[HID][IN], b1[HID], w2[OUT][HID], b2[OUT];
};

static void forward(const struct net *n, const double *x, double *h, double *o) {
  for (int i = 0; i < HID; i++) {
    double s = n->b1[i];
    for (int j = 0; j < IN; j++) s += n->w1[i][j] * x[j];
    h[i] = s > 0 ? s : 0.01 * s;
  }
  double max = -1e300, sum = 0;
  for (int i = 0; i < OUT; i++) {
    o[i] = n->b2[i];
    for (int j = 0; j < HID; j++) o[i] += n->w2[i][j] * h[j];
    if (o[i] > max) max = o[i];
  }
  for (int i = 0; i < OUT; i++) sum += o[i] = exp(o[i] - max);
  for (int i = 0; i < OUT; i++) o[i] /= sum;
}

static double train(struct net *n, const double *x, int label, double rate) {
  double h[HID], o[OUT], dh[HID];
  forward(n, x, h, o);
  double loss = -log(o[label] + 1e-12);
  o[label] -= 1;
  for (int j = 0; j < HID; j++) {
    dh[j] = 0;
    for (int i = 0; i < OUT; i++) dh[j] += o[i] * n->w2[i][j];
    if (h[j] <= 0) dh[j] *= 0.01;
  }
  for (int i = 0; i < OUT; i++) {
    for (int j = 0; j < HID; j++) n->w2[i][j] -= rate * o[i] * h[j];
    n->b2[i] -= rate * o[i];
  }
  for (int j = 0; j < HID; j++) {
    for (int k = 0; k < IN; k++) n->w1[j][k] -= rate * dh[j] * x[k];
    n->b1[j] -= rate * dh[j];
  }
  return loss;
}

int main(void) {
  static struct net n;
  enum { SAMPLES = 1500 };
  double(*x)[IN] = malloc(SAMPLES * sizeof *x);
  int *label = malloc(SAMPLES * sizeof *label);
  for (int i = 0; i < HID * IN; i++) n.w1[i / IN][i % IN] = (bench_random(1, i) - 0.5) * 0.2;
  for (int i = 0; i < OUT * HID; i++) n.w2[i / HID][i % HID] = (bench_random(2, i) - 0.5) * 0.2;
  for (int s = 0; s < SAMPLES; s++) {
    label[s] = s * 7 % OUT;
    for (int j = 0; j < IN; j++) x[s][j] = bench_random(3, s * IN + j) + (j % OUT == label[s]) * 0.7;
  }

  double first = 0, last = 0;
  bench_start();
  for (int epoch = 0; epoch < 6; epoch++) {
    double loss = 0;
    for (int s = 0; s < SAMPLES; s++) loss += train(&n, x[s], label[s], 0.01);
    if (epoch == 0) first = loss;
    last = loss;
  }
  bench_stop();
  printf("check mlp %.6g %.6g\n", first, last);
  free(x);
  free(label);
  return 0;
}
