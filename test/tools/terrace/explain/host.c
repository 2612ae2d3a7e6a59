// RUN: terrace explain %s --auto | FileCheck %s

// Why what could be a region stays on the host.
double a[1000], b[1000];
double unknown(double);

// CHECK-LABEL: : order
// CHECK: ! this region stays on the host: there is no loop whose iterations may run in any order
void order(int n)
{
#pragma scop
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * 2;
#pragma endscop
}

// CHECK-LABEL: : calls
// CHECK: ! this region stays on the host: it has a call of 'unknown', which has no device form
// CHECK-NEXT: line [[@LINE+4]]
void calls(int n)
{
  for (int i = 0; i < n; i++)
    a[i] = unknown(b[i]);
}

// CHECK-LABEL: : small
// CHECK: ! this region stays on the host: it would take about {{.*}} on the CPU and {{.*}} on the GPU with its copies
void small(void)
{
  for (int i = 0; i < 10; i++)
    a[i] = b[i];
}

// CHECK-LABEL: : scattered
// CHECK: ! this region stays on the host: which part of it p[k[i]] reaches: k[i] is read from memory
void scattered(int n, double *restrict p, int *restrict k)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < 1000; i++)
      a[i] += p[k[i]];
}

// CHECK-LABEL: : nothing
// CHECK: ! this region stays on the host: it has no loop whose iterations may run in any order
void nothing(int n)
{
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + 1;
}
