// Modifiers of data clauses that change nothing where they stand.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void f(int n, double *a, double *b)
{
  double s = 0;
// CHECK: modifiers.c:[[@LINE+1]]:49: warning: `capture` has no effect on `a`: a device has memory of its own, or the host's is used
#pragma acc parallel loop copy(always, capture: a[0:n])
  for (int i = 0; i < n; i++) a[i] += 1;
// CHECK: modifiers.c:[[@LINE+1]]:40: warning: `zero` has no effect on `s`: the region gets the scalar by its value
#pragma acc kernels loop copyout(zero: s) copyin(readonly: a[0:n]) copyout(zero: b[0:n])
  for (int i = 0; i < n; i++) b[i] = a[i] + (s = 1);
// CHECK-NOT: warning
}
