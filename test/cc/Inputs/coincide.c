/* The same array given twice: to a function that touches both at one place only it
   makes no difference, and the data stays on the device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#else
#define acc_malloc malloc
#define acc_free free
#endif

#define AT(a, i, j) (a)[(i) * n + (j)]

static void smooth(const double *u, double *v, double *r, int m, int n)
{
  double *t = acc_malloc(m * n * sizeof(double));
#pragma acc data deviceptr(t) present(u[0:m * n], v[0:m * n], r[0:m * n])
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) AT(t, i, j) = 0.5 * AT(u, i, j);
#pragma acc parallel
    {
#pragma acc loop gang
      for (int i = 1; i < m - 1; i++) {
#pragma acc loop vector
        for (int j = 1; j < n - 1; j++)
          AT(r, i, j) = AT(v, i, j) - 0.25 * (AT(t, i - 1, j) + AT(t, i + 1, j)) - AT(u, i, j);
      }
    }
  }
  acc_free(t);
}

int main(void)
{
  int m = 31, n = 45;
  double *u = malloc(m * n * sizeof *u), *v = malloc(m * n * sizeof *v), *r = malloc(m * n * sizeof *r);
  for (int i = 0; i < m * n; i++) u[i] = i % 17, v[i] = i % 5, r[i] = 0;
#pragma acc data copyin(u[0:m * n], v[0:m * n]) copy(r[0:m * n])
  {
    smooth(u, v, r, m, n);
    smooth(u, r, r, m, n);
    smooth(u, r, r, m, n);
  }
  double sum = 0;
  for (int i = 0; i < m * n; i++) sum += r[i] * (i % 13);
  printf("%.6f\n", sum);
  free(u), free(v), free(r);
  return 0;
}
