// Loops that OpenMP's pragmas and OpenACC's both speak of: a pragma of others that wants
// its loop keeps it. The first RUN failed in the system's compiler, which found a block
// behind `omp parallel for`.
//
// RUN: terrace cc -Wall -Werror -fopenmp %s -o %t && env TERRACE_TARGET=cpu %t | FileCheck %s
// RUN: env TERRACE_TARGET=host %t | FileCheck %s
// RUN: terrace cc -Wall -Wno-unknown-pragmas %s -o %t && env TERRACE_TARGET=cpu %t | FileCheck %s

#include <stdio.h>

static double a[1000];

int main(void)
{
  double s = 0;
#pragma omp parallel for
#pragma acc parallel loop
  for (int i = 0; i < 1000; i++) a[i] = i;
#pragma acc data copy(a)
  {
#pragma acc parallel loop
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) a[i] += 1;
#pragma omp parallel for reduction(+ : s)
#pragma acc parallel loop reduction(+ : s)
    for (int i = 0; i < 1000; i++) s += a[i];
  }
#pragma GCC unroll 4
#pragma scop
  for (int i = 0; i < 1000; i++) a[i] = 2 * a[i];
#pragma endscop
  // CHECK: 500500 2000
  printf("%g %g\n", s, a[999]);
  return 0;
}
