/* Arrays that are the same memory, or overlap, in loops that come back to each element: what one
   iteration stores the next one reads. */
#include <stdio.h>
#define N 512
#define K 64

static double a[K][N], b[N][K], x[4 * N], z[4 * N];

static void rows(int n, int m, double *in, double *out)
{
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++) out[i] = in[i] * 0.5 + a[k][i];
}

static void columns(int n, int m, double *in, double *out)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) out[i] = in[i] * 0.5 + b[i][k];
}

static void once(int n, double *in, double *out)
{
  for (int i = 0; i < n; i++) out[i] = in[i] * 0.5 + 1;
}

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < 4 * N; i++) sum += x[i] * (i % 13) + z[i] * (i % 7);
  printf("%s %.17g\n", what, sum);
}

int main(void)
{
  void (*volatile by_rows)(int, int, double *, double *) = rows;
  void (*volatile by_columns)(int, int, double *, double *) = columns;
  void (*volatile just_once)(int, double *, double *) = once;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) a[k][i] = (i * 3 + k) % 11 * 0.25, b[i][k] = (i * 5 + k) % 7 * 0.5;
  for (int i = 0; i < 4 * N; i++) x[i] = i % 17 * 0.1, z[i] = 1;
  by_rows(N, K, x, z), show("rows, apart");
  by_rows(N, K, x, x), show("rows, the same");
  by_rows(N, K, x, x + 1), show("rows, shifted");
  by_rows(N, K, x + 1, x), show("rows, shifted back");
  by_columns(N, K, x, z), show("columns, apart");
  by_columns(N, K, x, x), show("columns, the same");
  by_columns(N, K, x, x + 1), show("columns, shifted");
  just_once(N, x, x), show("once, the same");
  just_once(N, x, x + 1), show("once, shifted");
  just_once(N, x + 3, x), show("once, shifted back");
  return 0;
}
