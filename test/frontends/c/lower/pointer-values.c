// Pointers in regions: counters are those of affine loops, what is known of null is folded, and
// what the program's pointers are is handed in.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @counts.region0
// CHECK: affine.for %[[Q:arg[0-9]+]] {{.*}}= 3 to %{{.*}} step 2
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[Q]]]
void counts(int n, double *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (double *q = a + 3; q < a + n; q += 2) *q = 1;
}

// The pointer beside the counter is computed from it: nothing is carried.
// CHECK-LABEL: func.func @beside.region0
// CHECK: affine.for %[[I:arg[0-9]+]] {{.*}}= 0 to
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]] * 2 + 1]
void beside(int n, double *a)
{
#pragma acc parallel loop copy(a[0:2 * n])
  for (int i = 0; i < n; i++, a += 2) a[1] = i;
}

// CHECK-LABEL: func.func @known.region0
// CHECK-NOT: scf.if
// CHECK: affine.store
// CHECK-NOT: scf.if
// CHECK: return
void known(void)
{
  double a[10];
#pragma acc parallel copyout(a)
  {
    double *p = a, *q = 0;
    if (p && !q) p[1] = 2;
    if (q) *q = 1;
  }
}

// CHECK-LABEL: func.func @given.region0
// CHECK-SAME: acc.name = "(p != 0)"
// CHECK: arith.cmpi eq
// CHECK: scf.if
void given(double *p)
{
#pragma acc serial copy(p[0:10])
  {
    if (p != 0) p[1] = 2;
  }
}
