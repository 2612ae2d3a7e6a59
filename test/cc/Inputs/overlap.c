/* Rows that run into each other: not on a GPU, and not with pointers to one. */
#include <openacc.h>

static void shift(double *a, double *b, double *t, int n)
{
#pragma acc parallel loop deviceptr(t) copy(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; i++) a[i] = b[i] + t[0];
}

int main(void)
{
  static double x[100];
  double *t = acc_malloc(8);
  shift(x, x + 3, t, 90);
  return 0;
}
