// Where --auto looks for no regions, and that OpenMP's pragmas count only for a compiler
// that is told to read them.
//
// RUN: terrace explain --auto %s -- -fopenmp | FileCheck %s --check-prefixes=CHECK,OMP
// RUN: terrace explain --auto %s | FileCheck %s --check-prefixes=CHECK,PLAIN

static double a[2000][2000];

void f(int n)
{
#pragma omp parallel for
  // OMP: for (int i = 0; i < n; i++)
  // OMP-NEXT: ! this region stays on the host: the function has a `#pragma omp`, whose loop has to stay where it stands
  // PLAIN: for (int i = 0; i < n; i++)
  // PLAIN-NEXT: a region begins here (auto), with 1 kernel
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = i * j;
}

void g(int n)
{
#pragma acc update host(a)
  // CHECK: for (int k = 0; k < n; k++)
  // CHECK-NEXT: ! this region stays on the host: directives of the function say already what is moved
  for (int k = 0; k < n; k++) a[k][0] = 1;
}
