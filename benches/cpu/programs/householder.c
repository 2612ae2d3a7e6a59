/* QR by Householder reflections on columns that are arrays of their own. */
#include "bench.h"

typedef struct {
  int rows, cols;
  double **col;
} matrix;

static matrix matrix_new(int rows, int cols) {
  matrix m = {rows, cols, malloc(cols * sizeof(double *))};
  for (int j = 0; j < cols; j++) m.col[j] = calloc(rows, sizeof(double));
  return m;
}

static void matrix_free(matrix *m) {
  for (int j = 0; j < m->cols; j++) free(m->col[j]);
  free(m->col);
}

static double dot(const double *x, const double *y, int n) {
  double s = 0;
  while (n--) s += *x++ * *y++;
  return s;
}

static void qr(matrix *m, double *tau) {
  for (int k = 0; k < m->cols; k++) {
    double *v = m->col[k];
    int len = m->rows - k;
    double alpha = sqrt(dot(v + k, v + k, len));
    if (v[k] > 0) alpha = -alpha;
    double head = v[k] - alpha;
    for (int i = k + 1; i < m->rows; i++) v[i] /= head;
    v[k] = 1;
    tau[k] = -head / alpha;
    for (int j = k + 1; j < m->cols; j++) {
      double *c = m->col[j];
      double s = tau[k] * dot(v + k, c + k, len);
      for (int i = k; i < m->rows; i++) c[i] -= s * v[i];
    }
    v[k] = alpha;
  }
}

int main(void) {
  matrix m = matrix_new(800, 600);
  double tau[600];
  for (int j = 0; j < m.cols; j++)
    for (int i = 0; i < m.rows; i++) m.col[j][i] = bench_random(3, j * 1000 + i) + (i == j) * 4;

  bench_start();
  qr(&m, tau);
  bench_stop();

  double diag = 0, upper = 0, taus = 0;
  for (int j = 0; j < m.cols; j++) {
    diag += fabs(m.col[j][j]);
    for (int i = 0; i < j; i++) upper += fabs(m.col[j][i]);
    taus += tau[j];
  }
  printf("check householder %.10g %.10g %.10g\n", diag, upper, taus);
  matrix_free(&m);
  return 0;
}
