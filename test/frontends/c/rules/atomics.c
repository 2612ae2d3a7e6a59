// Forms of atomic statements (2.12).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void forms(int n, double *a) {
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    double v;
#pragma acc atomic read
    v = a[0];
#pragma acc atomic write
    a[1] = v + 1;
  }
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc atomic read
// CHECK-DAG: atomics.c:[[@LINE+1]]:5: error: this cannot be offloaded, as its directive asks: an atomic statement that is not `v = x`, as `read` says
    a[0] += 1;
  }
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    double v;
#pragma acc atomic read
// CHECK-DAG: atomics.c:[[@LINE+1]]:5: error: this cannot be offloaded, as its directive asks: an atomic statement that is not `v = x`, as `read` says
    v = a[0] + 1;
    a[i] = v;
  }
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc atomic write
// CHECK-DAG: atomics.c:[[@LINE+1]]:5: error: this cannot be offloaded, as its directive asks: an atomic statement that is not `x = e`, as `write` says
    a[0]++;
  }
}
