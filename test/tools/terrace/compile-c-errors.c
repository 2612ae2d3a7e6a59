// RUN: not terrace compile %s --emit mlir 2>&1 | FileCheck %s
// RUN: not terrace compile %s --emit ptx 2>&1 | FileCheck %s
// RUN: not terrace compile %s -DFIXED --emit ptx 2>&1 | FileCheck %s --check-prefix=NONE

#ifndef FIXED
// CHECK: compile-c-errors.c:[[@LINE+3]]:10: error: `y` is not declared
// CHECK-NEXT: return y;
int f(int x) {
  return y;
}
#endif

// NONE: error: the program has no region to make a kernel of
