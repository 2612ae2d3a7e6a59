/* Memory behind pointers that lie in memory: rows of their own, ragged rows, records with
   pointers, three levels; brought by constructs, by enter data and in parts. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int length;
  double *data;
} list_t;

static double **make(int n, int m) {
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = malloc(m * sizeof **a);
    for (int j = 0; j < m; j++) a[i][j] = i * 0.5 + j % 7;
  }
#pragma acc enter data copyin(a[0:n][0:m])
  return a;
}

static void drop(double **a, int n, int m) {
  (void)m;
#pragma acc exit data delete (a[0:n][0:m])
  for (int i = 0; i < n; i++) free(a[i]);
  free(a);
}

static double row_sum(const double *row, int m) {
  double s = 0;
  for (int j = 0; j < m; j++) s += row[j];
  return s;
}

static void smooth(double **to, double **from, int n, int m) {
#pragma acc parallel loop collapse(2) present(to, from)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static void two_dimensions(void) {
  int n = 21, m = 17;
  double **a = make(n, m), **b = make(n, m), sums[21], s = 0;
  for (int t = 0; t < 3; t++) {
    smooth(b, a, n, m);
    smooth(a, b, n, m);
  }
#pragma acc parallel loop copyout(sums)
  for (int i = 0; i < n; i++) sums[i] = row_sum(a[i], m);
#pragma acc update self(a[0:n][0:m])
  for (int i = 0; i < n; i++) s += sums[i] - row_sum(a[i], m);
  printf("%.6f %.6f %.3f\n", a[1][1], a[n / 2][m / 2], s);
  drop(a, n, m);
  drop(b, n, m);
}

static void ragged(void) {
  int n = 12;
  list_t *l = malloc(n * sizeof *l);
#pragma acc enter data create(l[0:n])
  for (int i = 0; i < n; i++) {
    l[i].length = 3 + i;
    l[i].data = calloc(l[i].length, sizeof(double));
#pragma acc update device(l[i].length)
#pragma acc enter data copyin(l[i].data[0:l[i].length])
  }
#pragma acc parallel loop gang present(l)
  for (int i = 0; i < n; i++) {
    int length = l[i].length;
#pragma acc loop vector
    for (int j = 0; j < length; j++) l[i].data[j] += i * 10 + j;
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
#pragma acc exit data copyout(l[i].data[0:l[i].length])
    s += l[i].data[l[i].length - 1];
    free(l[i].data);
  }
#pragma acc exit data delete (l[0:n])
  printf("%.1f\n", s);
  free(l);
}

static void three_levels(void) {
  enum { N = 4, M = 3, L = 5 };
  int ***c = malloc(N * sizeof *c), sum = 0;
  for (int i = 0; i < N; i++) {
    c[i] = malloc(M * sizeof **c);
    for (int j = 0; j < M; j++) c[i][j] = calloc(L, sizeof(int));
  }
#pragma acc data copy(c[0:N][0:M][0:L])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        for (int k = 0; k < L; k++) c[i][j][k] = i * 100 + j * 10 + k;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) c[i][j][L - 1] *= 2;
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      for (int k = 0; k < L; k++) sum += c[i][j][k];
      free(c[i][j]);
    }
    free(c[i]);
  }
  free(c);
  printf("%d\n", sum);
}

int main(void) {
  two_dimensions();
  ragged();
  three_levels();
  return 0;
}
