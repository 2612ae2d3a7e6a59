/* Where regions are asked to run: what they compute is the same. */
#include <stdio.h>
#define N 200
#define WHERE cpu

static double a[N], b[N], c[N], d[N];

#pragma terrace target(cpu)
static double sum(void)
{
  double s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < N; i++) s += a[i] * i;
#pragma terrace target(host)
  {
#pragma acc parallel loop reduction(+ : s)
    for (int i = 0; i < N; i++) s += b[i];
  }
  return s;
}

int main(void)
{
#pragma terrace target(host)
#pragma acc parallel loop
  for (int i = 0; i < N; i++) a[i] = i % 7;
#pragma terrace target(WHERE)
#pragma scop
  for (int i = 0; i < N; i++) b[i] = 2 * a[i];
#pragma endscop
#pragma terrace target(gpu)
#pragma terrace offload
  for (int i = 0; i < N; i++) c[i] = b[i] - i;
#pragma acc kernels
#pragma terrace target(sm_80)
  for (int i = 0; i < N; i++) d[i] = c[i] + a[i];
#pragma terrace target(cpu)
#pragma acc data copyin(a)
  {
#pragma acc parallel loop copy(b)
    for (int i = 0; i < N; i++) b[i] += a[i];
  }
  printf("%g %g %g %g\n", sum(), b[100], c[50], d[30]);
  return 0;
}
