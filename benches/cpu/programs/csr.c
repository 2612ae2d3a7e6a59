/* A sparse matrix in compressed rows times a vector, in a loop of conjugate gradients. */
#include "bench.h"

struct csr {
  int n;
  int *start, *column;
  double *value;
};

static void multiply(const struct csr *m, const double *x, double *y) {
  for (int i = 0; i < m->n; i++) {
    double sum = 0.0;
    for (int k = m->start[i]; k < m->start[i + 1]; k++) sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

static void laplace(struct csr *m, int side) {
  int n = side * side, k = 0;
  m->n = n;
  m->start = malloc((n + 1) * sizeof(int));
  m->column = malloc(5 * n * sizeof(int));
  m->value = malloc(5 * n * sizeof(double));
  for (int i = 0; i < n; i++) {
    int row = i / side, col = i % side;
    m->start[i] = k;
    if (row > 0) m->column[k] = i - side, m->value[k++] = -1;
    if (col > 0) m->column[k] = i - 1, m->value[k++] = -1;
    m->column[k] = i, m->value[k++] = 4.002;
    if (col < side - 1) m->column[k] = i + 1, m->value[k++] = -1;
    if (row < side - 1) m->column[k] = i + side, m->value[k++] = -1;
  }
  m->start[n] = k;
}

int main(void) {
  struct csr m;
  laplace(&m, 170);
  int n = m.n;
  double *x = calloc(n, sizeof(double)), *r = malloc(n * sizeof(double));
  double *p = malloc(n * sizeof(double)), *q = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) p[i] = r[i] = bench_random(1, i) - 0.5;

  int steps = 0;
  bench_start();
  double rr = 0;
  for (int i = 0; i < n; i++) rr += r[i] * r[i];
  while (rr > 1e-18 && steps < 1000) {
    multiply(&m, p, q);
    double pq = 0, next = 0;
    for (int i = 0; i < n; i++) pq += p[i] * q[i];
    double alpha = rr / pq;
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    for (int i = 0; i < n; i++) next += r[i] * r[i];
    double beta = next / rr;
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
    rr = next;
    steps++;
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * (1 + i % 13);
  printf("check sparse %d %.17g %.17g\n", steps, sum, x[n / 2]);
  free(m.start), free(m.column), free(m.value);
  free(x), free(r), free(p), free(q);
  return 0;
}
