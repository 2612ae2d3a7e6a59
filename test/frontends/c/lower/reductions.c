// The attribute has a number for each value that the loop carries, also where variables that nobody
// reads are gone from it.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @f.region0(
// CHECK: affine.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32)
// CHECK: acc.reductions = array<i64: 1, 6>
int f(int n, const int *a)
{
  int t = 0, s = 0, u = 0, m = 0;
#pragma acc parallel loop reduction(+ : s) reduction(max : m) copyin(a[0:n])
  for (int i = 0; i < n; i++) {
    t = a[i];
    u = t * 3;
    if (t > 5) s += u;
    while (u > m) m++;
  }
  return s + m;
}
