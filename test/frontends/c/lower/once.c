// A macro's `do { .. } while (0)` is what is in it, and loops that count down from the last but one
// element are counted. Sums of signed numbers promise not to overflow.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @f.region0(
// CHECK-NOT: scf.while
// CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK: return
// CHECK-LABEL: func.func @g.region0(
// CHECK-NOT: scf.while
// CHECK: affine.for
// CHECK: return
// CHECK-LABEL: func.func @h.region0(
// CHECK: scf.while
// CHECK: return
#define ADD(to, a, b)        \
  do {                       \
    int s_ = (a) + (b);      \
    if (s_ < 0) to = 0;      \
    else to = s_;            \
  } while (0)
void f(int n, int *a, int *b)
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; i++) ADD(a[i], a[i], b[i]);
}
void g(unsigned long n, double *a)
{
#pragma acc parallel copy(a[0:n])
  {
    for (unsigned long i = n - 1; i-- > 0;) a[i] += a[i + 1];
  }
}
/* One that is left before its end is a loop. */
void h(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    do {
      if (a[i] > 3) break;
      a[i] += 2;
    } while (0);
}
