#define N 40
double a[N][N], b[N][N], x[N], y[N];

#pragma terrace target(cpu)
void product(int n)
{
#pragma terrace schedule(tile(i, j: 2 * 8, N), interchange(k, j), unroll(k: 4), parallel(i_tile))
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) a[i][j] += b[i][k] * b[k][j];
#pragma endscop
}

void steps(int n, double *restrict p)
{
#pragma terrace target(gpu)
#pragma terrace schedule(fuse(i#1, i#2), peel_front(i: 1), split(i: 7), reverse(i_below))
#pragma terrace offload
  {
    for (int i = 0; i < N; i++) x[i] = p[i];
    for (int i = 0; i < N; i++) y[i] += x[i];
  }
#pragma acc parallel loop collapse(2)
#pragma terrace schedule(coalesce(t, i))
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < N; i++) y[i] = y[i] / 2;
#pragma acc kernels
  {
#pragma terrace schedule(distribute(i: 1), shift(i_1: -3), unroll_jam(i_0: 2), strip_mine(i_1: 8))
    for (int i = 1; i < n; i++) {
      x[i] = i;
      y[i] = x[i - 1];
    }
  }
#pragma terrace schedule(pluto(8))
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[j] += a[i][j] * x[i];
#pragma endscop
#pragma terrace target(sm_80)
#pragma terrace schedule(none)
#pragma scop
  for (int i = 0; i < n; i++) x[i] = 2 * i;
#pragma endscop
}
