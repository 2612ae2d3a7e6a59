/* Smoothing with a sparse matrix in ELLPACK form, columns first; COO entries added to it. */
#include "bench.h"

typedef struct {
  int n, width;
  int *col;      /* width columns of n */
  double *value; /* as above */
} ell;

typedef struct {
  int row, col;
  double value;
} entry;

static void multiply(const ell *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < a->n; i++) y[i] = 0;
  for (int k = 0; k < a->width; k++) {
    const int *col = a->col + (size_t)k * a->n;
    const double *value = a->value + (size_t)k * a->n;
    for (int i = 0; i < a->n; i++) y[i] += value[i] * x[col[i]];
  }
}

static void extra(const entry *e, int count, const double *x, double *y) {
  for (const entry *end = e + count; e < end; e++) y[e->row] += e->value * x[e->col];
}

int main(void) {
  int n = 40000, width = 9, more = 5000;
  ell a = {n, width, malloc(sizeof(int) * n * width), malloc(sizeof(double) * n * width)};
  entry *e = malloc(more * sizeof *e);
  double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
  for (int k = 0; k < width; k++)
    for (int i = 0; i < n; i++) {
      a.col[k * n + i] = (i + (k - 4) * (k % 2 ? 1 : 200) + n) % n;
      a.value[k * n + i] = bench_random(1, k * n + i) / width;
    }
  for (int i = 0; i < more; i++)
    e[i] = (entry){(int)(bench_random(2, i) * n), (int)(bench_random(3, i) * n), bench_random(4, i)};
  for (int i = 0; i < n; i++) x[i] = 1;

  double norm = 0;
  bench_start();
  for (int t = 0; t < 450; t++) {
    multiply(&a, x, y);
    extra(e, more, x, y);
    norm = 0;
    for (int i = 0; i < n; i++) norm += y[i] * y[i];
    norm = sqrt(norm / n);
    for (int i = 0; i < n; i++) x[i] = y[i] / norm;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  printf("check ellpack %.7g %.7g\n", norm, sum);
  free(a.col);
  free(a.value);
  free(e);
  free(x);
  free(y);
  return 0;
}
