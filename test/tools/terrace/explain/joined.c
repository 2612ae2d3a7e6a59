// Constructs in a loop whose region would not say how much of an array it touches stay apart,
// in what is explained as in what is compiled.
//
// RUN: terrace explain %s 2>&1 | FileCheck %s
// RUN: terrace cc -c -Minfo %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
//
// CHECK-NOT: error
// CHECK: - the loop over s runs on the host: it is in no region
// CHECK: - the constructs at lines [[@LINE+6]] and [[@LINE+8]] are one region: the host does nothing between them that others see
// CHECK-NOT: error
// INFO-NOT: error
// INFO: the constructs at lines [[@LINE+3]] and [[@LINE+5]] are one region
void doubling(int n, float *restrict a, float *restrict b) {
  for (int s = 1; s < n; s *= 2) {
#pragma acc parallel loop
    for (int i = s; i < n; i++) b[i] = a[i] + a[i - s];
#pragma acc parallel loop
    for (int i = s; i < n; i++) a[i] = b[i];
  }
}
