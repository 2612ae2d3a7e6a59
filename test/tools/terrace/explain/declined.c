// Why a region stays on the host, or part of the program is in none.
//
// RUN: terrace explain --auto %s | FileCheck %s

extern double table[];
double outside(double);
static double deep(int n) { return n ? deep(n - 1) : 1; }
void f(int n, double *restrict w, double *restrict v, int *k)
{
  double d[3] = {1, 2, 3};
// CHECK: for (int i = 1; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: there is no loop whose iterations may run in any order
#pragma scop
  for (int i = 1; i < n; i++)
    w[i] = w[i - 1] + 1;
#pragma endscop
// CHECK: for (int i = 0; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: there is nothing in it for a GPU to do
#pragma scop
  for (int i = 0; i < n; i++) {
    int t[3];
    t[i % 3] = 2;
  }
#pragma endscop
// CHECK: for (int i = 0; i < n; i++)
// CHECK: - d (24 bytes) is copied to the device before: the copyin clause of the directive
// CHECK: - w (w[0:n], 8*n bytes) is copied to the device before and back after: the copy clause of the directive
#pragma acc parallel loop copyin(d) copy(w[0:n])
  for (int i = 0; i < n; i++)
    w[i] = d[i % 3];
}
double total(int n, double *a, int *k)
{
  double s = 0;
// CHECK: for (int i = 0; i < n; i++)
// CHECK: - total_region0_kernel1: combines the partial results of the blocks, in their order
#pragma acc parallel loop reduction(+:s) copyin(a[0:n])
  for (int i = 0; i < n; i++)
    s += a[i];
// CHECK: for (int i = 8; i < n; i++)
// CHECK: one thread runs these statements one after another
#pragma acc serial copy(a[0:n]) copyin(k[0:n])
  for (int i = 8; i < n; i++)
    a[k[i]] = s;
  return s;
}
// In a function with directives no more regions are looked for.
void g(int n, double *restrict w, double *restrict v, int *k)
{
// CHECK: for (int i = 2; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: a call of 'outside', which has no device form
  for (int i = 2; i < n; i++)
    w[i] = outside(v[i]);
// CHECK: for (int i = 3; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: a call of 'deep', which calls itself, so that nothing says how often
  for (int i = 3; i < n; i++)
    w[i] = deep(i);
// CHECK: for (int i = 4; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: it has no loop whose iterations may run in any order
  for (int i = 4; i < n; i++)
    w[i * i] = v[i];
// CHECK: for (int i = 5; i < n; i++)
// CHECK-NEXT: ! this region stays on the host: which part of it v[k[i]] reaches: k[i] is read from memory
  for (int i = 5; i < n; i++)
    w[i] = v[k[i]];
// CHECK: for (int i = 6; i < n; i++)
// CHECK: - table (the part that is used) is copied to the device unless it is there: only read here
  for (int i = 6; i < n; i++)
    w[i] = table[i] * 2;
// CHECK: for (int i = 7; i < 9; i++)
// CHECK-NEXT: ! this region stays on the host: it does some 8 operations, and is done before it would be called
  for (int i = 7; i < 9; i++)
    w[i] = v[i] * 2;
// CHECK: for (int i = 8; i < 9000; i++)
// CHECK-NEXT: ! this region stays on the host: it would take about {{.*}} us on the CPU and {{.*}} us on the GPU with its copies
  for (int i = 8; i < 9000; i++)
    w[i] = v[i] * 2;
}
