#include <math.h>
#include <stdio.h>
#define N 200
static double A[N][N], B[N][N], x[N], y[N], z[N];

/* Statements of one gang, and a scalar of the host's. */
static double first(int n) {
  double c = 3;
#pragma acc serial
  for (int i = 0; i < n; i++) y[i] = c * x[i];
#pragma acc parallel loop
  for (int i = 0; i < n; i++) z[i] = y[i] * c;
  return c;
}

/* Sums of iterations, in a scalar of the function. */
static void products(int n) {
  double s;
  int i, j;
#pragma acc parallel loop private(j)
  for (i = 0; i < n; i++) {
    s = 0;
#pragma acc loop seq
    for (j = 0; j < n; j++) s += A[i][j] * x[j];
    y[i] = s;
  }
#pragma acc parallel loop private(j)
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < n; j++) s += A[j][i] * y[j];
    z[i] = s;
  }
}

/* A loop of the host that is all of a `data` construct. */
static void lu(int n) {
#pragma acc data copy(A)
  for (int k = 0; k < n; k++) {
#pragma acc parallel loop
    for (int i = k + 1; i < n; i++) A[i][k] /= A[k][k];
#pragma acc parallel loop collapse(2)
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];
  }
}

/* What the host computes in between; counters and a sum that are used behind. */
static double steps(int n, int last) {
  int i, j, t;
  double dt = 0.125, now = 0;
  long sum = 0;
  for (t = 0; t < last; t++) {
    double f = dt * now;
    sum = 0;
#pragma acc parallel loop private(j)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) B[i][j] = A[i][j] + f;
    now += dt;
#pragma acc parallel loop reduction(+ : sum)
    for (i = 0; i < n; i++) sum += (long)B[i][i] + i;
#pragma acc kernels
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) A[i][j] = B[i][j] * 0.5;
  }
  printf("%d %g %ld\n", t, now, sum);
  return now;
}

/* The host looks at the error: only what is between is joined. */
static int converge(int n) {
  int it;
  double err = 1;
  for (it = 0; it < 50 && err > 1e-3; it++) {
    err = 0;
#pragma acc parallel loop reduction(max : err)
    for (int i = 1; i < n - 1; i++) {
      y[i] = 0.5 * (x[i - 1] + x[i + 1]);
      double d = fabs(y[i] - x[i]);
      if (d > err) err = d;
    }
#pragma acc parallel loop
    for (int i = 1; i < n - 1; i++) x[i] = y[i];
    if (it == 40) break;
  }
  return it;
}

/* Pointers that may overlap. */
static void overlap(int n, double *p, double *q) {
#pragma acc parallel loop copy(p[0:n])
  for (int i = 0; i < n; i++) p[i] += 1;
#pragma acc parallel loop copy(q[0:n])
  for (int i = 0; i < n; i++) q[i] *= 2;
}

/* One queue. */
static void queued(int n, int q) {
#pragma acc data copy(x, y)
  {
    for (int t = 0; t < 9; t++) {
#pragma acc parallel loop async(q)
      for (int i = 1; i < n - 1; i++) y[i] = 0.25 * (x[i - 1] + x[i + 1]);
#pragma acc parallel loop async(q)
      for (int i = 1; i < n - 1; i++) x[i] = 0.5 * (y[i - 1] + y[i + 1]);
    }
#pragma acc wait(q)
  }
}

/* One construct in a loop of the host. */
static void sweeps(int n) {
  int t, i;
  for (t = 0; t < 7; t++)
#pragma acc parallel loop
    for (i = 0; i < n; i++) z[i] = z[i] * 0.5 + t;
  printf("%d\n", t);
}

/* Where the loop does not go round there is no array. */
static void none(int n, int last, double *p) {
  int t;
  for (t = 0; t < last; t++) {
#pragma acc parallel loop copy(p[0:n])
    for (int i = 0; i < n; i++) p[i] += t;
  }
  for (int u = last; u > 0; u--) {
#pragma acc parallel loop copyin(p[0:n]) copyout(x)
    for (int i = 0; i < n; i++) x[i] = p[i];
  }
  printf("%d\n", t);
}

static void show(const char *name, const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i] * (1 + i % 7);
  printf("%s %.15g\n", name, s);
}

/* The first construct names an array that it does not use, and the second writes it. */
static void named(int n, double *p, double *q) {
#pragma acc kernels copy(p[0:n]) copyin(B)
  for (int i = 0; i < n; i++) p[i] += 1;
#pragma acc kernels copy(q[0:n])
  for (int i = 0; i < n; i++) {
    q[i] += 2;
    B[i][1] = i;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = 1 + i % 5;
    for (int j = 0; j < N; j++) A[i][j] = (i * j) % 7 + (i == j) * 100;
  }
  printf("%g\n", first(N));
  products(N);
  show("y", y, N), show("z", z, N);
  lu(N);
  show("A", A[0], N * N);
  steps(N, 5);
  show("A", A[0], N * N), show("B", B[0], N * N);
  printf("%d\n", converge(N));
  show("x", x, N);
  overlap(100, x, x + 20);
  overlap(100, x, x);
  show("x", x, N);
  queued(N, 3);
  sweeps(N);
  none(N, 0, 0);
  none(N, -3, (double *)8);
  none(N, 4, y);
  show("x", x, N), show("y", y, N), show("z", z, N);
  named(N, x, y);
  show("x", x, N), show("y", y, N), show("B", B[0], N * N);
  return 0;
}
