// Functions that are defined or declared without a prototype: arguments become what
// the parameters are.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

static int later();
static double scaled(x, by) double x; { return x * by; }

// CHECK-LABEL: func.func @f.region0
// CHECK: affine.for
// CHECK: arith.fptosi {{.*}} : f64 to i32
// CHECK: arith.extf {{.*}} : f32 to f64
// CHECK: arith.fptosi {{.*}} : f64 to i32
void f(int n, double *a, float *b)
{
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = later(a[i]) + scaled(b[i], a[i]);
#pragma endscop
}
// CHECK-LABEL: func.func @g(
// CHECK: arith.fptosi {{.*}} : f64 to i32
// CHECK: call @later({{.*}}) : (i32) -> i32
int g(double x) { return later(x); }
static int later(int n) { return n; }
