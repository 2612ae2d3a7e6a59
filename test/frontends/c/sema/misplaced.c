// A directive between a function's head and its body belongs to neither.
//
// RUN: not terrace compile %s --emit mlir 2>&1 | FileCheck %s

void f(int *a)
// CHECK: misplaced.c:[[@LINE+1]]:1: error: `acc wait` has to stand between statements, not inside one
#pragma acc wait
{
  a[0] = 1;
}
