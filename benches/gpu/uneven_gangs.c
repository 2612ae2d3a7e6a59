/* Gangs over rows and vector loops within, whose bounds differ from row to row: red and black cells,
   rows of a sparse matrix. Prints a checksum, and on standard error the time of each kind.

       terrace cc -O2 -fopenacc -mcmodel=large -DN=2000 -DREP=21 benches/gpu/uneven_gangs.c -o made -lm && TERRACE_TARGET=gpu ./made */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#ifndef N
#define N 300
#endif
#ifndef REP
#define REP 3
#endif
static double now(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }
static double p[N][N], q[N][N], y[N];
static int ptr[N + 1], *col;
static double *val, x[N];
static double sor(int colour, double w) {
  double change = 0;
#pragma acc parallel loop gang reduction(max : change) present(p, q)
  for (int i = 1; i < N - 1; i++) {
    int start = 1 + ((i + colour) & 1);
#pragma acc loop vector reduction(max : change)
    for (int j = start; j < N - 1; j += 2) {
      double d = 0.25 * (p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1] - q[i][j]) - p[i][j];
      p[i][j] += w * d;
      change = fmax(change, fabs(d));
    }
  }
  return change;
}
static void colour(int c) {
#pragma acc parallel loop gang present(p, q)
  for (int i = 1; i < N - 1; i++) {
    int start = 1 + ((i + c) & 1);
#pragma acc loop vector
    for (int j = start; j < N - 1; j += 2) q[i][j] += 0.01 * (p[i][j - 1] - p[i][j + 1]);
  }
}
static void scale(int nnz) {
#pragma acc parallel loop gang present(ptr, val[0:nnz], x)
  for (int i = 0; i < N; i++) {
    double s = x[i];
#pragma acc loop vector
    for (int k = ptr[i]; k < ptr[i + 1]; k++) val[k] *= 1 + 0.001 * s;
  }
}
static long heavy(int nnz, double t) {
  long n = 0;
#pragma acc parallel loop gang reduction(+ : n) present(ptr, val[0:nnz])
  for (int i = 0; i < N; i++) {
#pragma acc loop vector reduction(+ : n)
    for (int k = ptr[i]; k < ptr[i + 1]; k++) n += val[k] > t;
  }
  return n;
}
static void spmv(int nnz) {
#pragma acc parallel loop gang present(ptr, col[0:nnz], val[0:nnz], x, y)
  for (int i = 0; i < N; i++) {
    double s = 0;
#pragma acc loop vector reduction(+ : s)
    for (int k = ptr[i]; k < ptr[i + 1]; k++) s += val[k] * x[col[k]];
    y[i] = s;
  }
}
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) p[i][j] = (i * 7 + j * 3) % 11, q[i][j] = (i + j) % 5 * 0.1;
  int nnz = 0;
  for (int i = 0; i < N; i++) { ptr[i] = nnz; nnz += 3 + (i * 37) % 25; x[i] = i % 9; }
  ptr[N] = nnz;
  col = malloc(nnz * sizeof *col); val = malloc(nnz * sizeof *val);
  for (int k = 0; k < nnz; k++) col[k] = (k * 131) % N, val[k] = (k % 19) * 0.5;
  double m = 0; long h = 0; double t[6] = {0}, a;
#pragma acc data copy(p, q) copyin(ptr, col[0:nnz], x) copy(val[0:nnz]) copyout(y)
  for (int r = 0; r < REP; r++) {
#define T(k, c) a = now(); c; if (r) t[k] += now() - a
    T(0, m += sor(r & 1, 1.3));
    T(1, colour(r & 1));
    T(2, scale(nnz));
    T(3, h += heavy(nnz, 3.0));
    T(4, spmv(nnz));
  }
  double s = 0;
  for (int i = 0; i < N; i++) { s += y[i]; for (int j = 0; j < N; j++) s += p[i][j] * (j % 3) + q[i][j]; }
  printf("check %.10g %ld %.10g\n", m, h, s);
  fprintf(stderr, "ms sor %.4f colour %.4f scale %.4f heavy %.4f spmv %.4f\n", 1e3 * t[0] / (REP - 1), 1e3 * t[1] / (REP - 1), 1e3 * t[2] / (REP - 1), 1e3 * t[3] / (REP - 1), 1e3 * t[4] / (REP - 1));
  return 0;
}
