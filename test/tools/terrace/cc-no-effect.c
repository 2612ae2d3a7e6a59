// Directives that are read and not followed say so.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: terrace cc -w -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: warning

void f(int n, double a[n])
{
  // CHECK: cc-no-effect.c:[[@LINE+1]]:1: warning: `terrace schedule` has no effect yet: the choice is terrace's own
#pragma terrace schedule("tiles.mlir")
#pragma terrace offload
  for (int i = 0; i < n; i++) a[i] = i;
  // CHECK: cc-no-effect.c:[[@LINE+1]]:1: warning: `terrace target` has no effect yet: the choice is terrace's own
#pragma terrace target(gpu)
#pragma terrace offload
  for (int i = 0; i < n; i++) a[i] += i;
}
