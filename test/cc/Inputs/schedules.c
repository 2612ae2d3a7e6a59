/* Loops in other orders: what they compute is the same. Sizes are no multiples of those
   of tiles. */
#include <stdio.h>
#define N 50
#define T 12
#define TI 16
#define TJ (TI / 2)

static double A[N][N], B[N][N], C[N][N], D[N][N];
static double x[N], y[N], z[N];

static double sum(double M[N][N])
{
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += M[i][j] * (i - 2 * j);
  return s;
}

static void start(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = i % 5;
    y[i] = 1;
    z[i] = 2;
    for (int j = 0; j < N; j++) {
      A[i][j] = i * j % 7;
      B[i][j] = (i + 2 * j) % 5;
      C[i][j] = 1;
      D[i][j] = i - j;
    }
  }
}

static void product(void)
{
#pragma terrace schedule(tile(i, j: TI, TJ), interchange(k, j), unroll(k: 4), parallel(i_tile))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}

/* With clauses on the loops, which the schedule takes the place of. */
static void acc_product(void)
{
#pragma terrace schedule(interchange(j, i), strip_mine(k: 8), unroll_jam(i: 2))
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
}

/* Diagonals of a stencil, in tiles of several steps. */
static void seidel(int n, int steps)
{
#pragma terrace schedule(skew(t, i: 1), skew(t, j: 1), tile(t, i, j: 4, TI, TI))
#pragma terrace offload
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        D[i][j] = 0.25 * (D[i - 1][j] + D[i][j - 1] + D[i][j + 1] + D[i + 1][j]);
}

/* One loop of two, two of one, and the ends by themselves. */
static void vectors(void)
{
#pragma acc kernels
  {
#pragma terrace schedule(reverse(i), split(i: 20), peel_front(i_above: 3), peel_back(i_below: 2))
    for (int i = 0; i < N; i++) y[i] += x[i];
#pragma terrace schedule(distribute(i: 1), shift(i_1: 7), coalesce(j, k))
    for (int i = 0; i < N; i++) {
      z[i] = y[i] * 2;
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 4; k++) D[j][k] += z[i];
    }
  }
#pragma terrace schedule(fuse(i#1, i#2))
#pragma scop
  for (int i = 0; i < N; i++) y[i] += x[i];
  for (int i = 0; i < N; i++) z[i] += 3 * y[i];
#pragma endscop
}

static void whole(void)
{
#pragma terrace schedule(none)
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j] += A[i][j] * x[i];
#pragma endscop
#pragma terrace schedule(pluto)
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j] += A[i][j] * x[i];
#pragma endscop
#pragma terrace schedule(pluto(TJ))
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) B[i][j] = 0.5 * (B[i - 1][j] + B[i][j + 1]);
#pragma endscop
#pragma terrace schedule(auto)
#pragma scop
  for (int i = 0; i < N; i++) x[i] = 2 * y[i];
#pragma endscop
#pragma terrace schedule("schedules.mlir")
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) C[i][j] = C[i][j] / 2 + D[j][i];
#pragma endscop
}

int main(void)
{
  start();
  product();
  printf("%.10g\n", sum(C));
  acc_product();
  printf("%.10g\n", sum(C));
  seidel(N, T);
  printf("%.10g\n", sum(D));
  vectors();
  printf("%.10g %.10g %.10g\n", sum(D), y[7], z[N - 1]);
  whole();
  printf("%.10g %.10g %.10g %.10g\n", sum(B), sum(C), x[3], y[N - 1]);
  return 0;
}
