/* Pairwise complete covariances of a data matrix in which values are missing (NaN). */
#include "bench.h"

double **matrix(int r, int c) {
  double **m = malloc(r * sizeof(double *));
  for (int i = 0; i < r; i++) m[i] = calloc(c, sizeof(double));
  return m;
}

void freematrix(double **m, int r) {
  for (int i = 0; i < r; i++) free(m[i]);
  free(m);
}

/* cov[a][b] over the rows where both are there; count[a][b] of them */
void pairwise_cov(double **x, int n, int p, double **cov, double **count) {
  int i, a, b;
  for (a = 0; a < p; a++) {
    for (b = 0; b <= a; b++) {
      double sa = 0, sb = 0;
      int m = 0;
      for (i = 0; i < n; i++) {
        if (!isnan(x[i][a]) && !isnan(x[i][b])) {
          sa += x[i][a];
          sb += x[i][b];
          m++;
        }
      }
      double ma = m ? sa / m : 0, mb = m ? sb / m : 0, s = 0;
      for (i = 0; i < n; i++)
        if (!isnan(x[i][a]) && !isnan(x[i][b])) s += (x[i][a] - ma) * (x[i][b] - mb);
      cov[a][b] = cov[b][a] = m > 1 ? s / (m - 1) : NAN;
      count[a][b] = count[b][a] = m;
    }
  }
}

int main(void) {
  int n = 1500, p = 40;
  double **x = matrix(n, p), **cov = matrix(p, p), **count = matrix(p, p), **cor = matrix(p, p);
  for (int i = 0; i < n; i++) {
    double f = bench_random(1, i) - 0.5;
    for (int j = 0; j < p; j++) {
      x[i][j] = f * (j % 5) + bench_random(2, i * p + j);
      if (bench_random(3, i * p + j) < 0.03 * (j % 4)) x[i][j] = NAN;
    }
  }
  bench_start();
  for (int rep = 0; rep < 15; rep++) {
    pairwise_cov(x, n, p, cov, count);
    for (int a = 0; a < p; a++)
      for (int b = 0; b < p; b++) cor[a][b] = cov[a][b] / sqrt(cov[a][a] * cov[b][b]);
    x[rep][rep] = NAN;
  }
  bench_stop();
  double s = 0, t = 0, c = 0;
  for (int a = 0; a < p; a++)
    for (int b = 0; b < p; b++) {
      s += cov[a][b] * (a + 1);
      t += cor[a][b] * (b + 1);
      c += count[a][b];
    }
  printf("check covmissing %.10g %.10g %.10g\n", s, t, c);
  freematrix(x, n);
  freematrix(cov, p);
  freematrix(count, p);
  freematrix(cor, p);
  return 0;
}
