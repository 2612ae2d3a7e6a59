/* A sparse matrix in three forms, by a vector: triples, rows of equal length, and compressed columns. */
#include "bench.h"

#define N 8000
#define PER 9

static int row[N * PER], column[N * PER], fixed[PER][N], start[N + 1], inner[N * PER];
static double value[N * PER], fixed_value[PER][N], inner_value[N * PER];
static double x[N], y[N], z[N], w[N];

static void triples(const double *v, double *out) {
  for (int i = 0; i < N; i++) out[i] = 0;
  for (int k = 0; k < N * PER; k++) out[row[k]] += value[k] * v[column[k]];
}

static void rows_alike(const double *v, double *out) {
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int k = 0; k < PER; k++) sum += fixed_value[k][i] * v[fixed[k][i]];
    out[i] = sum;
  }
}

static void columns(const double *v, double *out) {
  for (int i = 0; i < N; i++) out[i] = 0;
  for (int j = 0; j < N; j++) {
    double s = v[j];
    for (int k = start[j]; k < start[j + 1]; k++) out[inner[k]] += inner_value[k] * s;
  }
}

static double norm(const double *v) {
  double s = 0;
  for (int i = 0; i < N; i++) s += v[i] * v[i];
  return sqrt(s);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = bench_random(1, i);
    start[i + 1] = (i + 1) * PER;
    for (int k = 0; k < PER; k++) {
      int at = i * PER + k, j = (int)(bench_random(2, at) * N);
      row[at] = i;
      column[at] = inner[at] = fixed[k][i] = j;
      value[at] = inner_value[at] = fixed_value[k][i] = bench_random(3, at) - 0.3;
    }
  }

  double total = 0;
  bench_start();
  for (int r = 0; r < 150; r++) {
    triples(x, y);
    rows_alike(x, z);
    columns(x, w);
    double length = norm(y);
    total += length + norm(z) + norm(w);
    for (int i = 0; i < N; i++) x[i] = y[i] / length + 0.001;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * (1 + i % 7) + w[i] + z[i];
  printf("check sparse %.17g %.17g\n", total, sum);
  return 0;
}
