// declare, cache and use_device (2.8, 2.10, 2.13).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK-DAG: declares.c:[[@LINE+1]]:26: note: it is declared here
double q[10], twice[10], r[10];
// CHECK-DAG: declares.c:[[@LINE+1]]:28: error: `acc declare` takes the variable alone, `q`: it is for all of it
#pragma acc declare create(q[0:5])
// CHECK-DAG: declares.c:[[@LINE+1]]:28: note: it stands here before
#pragma acc declare create(twice)
// CHECK-DAG: declares.c:[[@LINE+1]]:28: error: `twice` stands in an `acc declare` already
#pragma acc declare copyin(twice)

void scopes(void) {
// CHECK-DAG: declares.c:[[@LINE+1]]:28: error: `acc declare` has to stand where `r` is declared, outside of functions
#pragma acc declare create(r)
  double t[4];
#pragma acc declare create(t)
  t[0] = r[0] = q[0] = twice[0] = 1;
}

void lists(int n, double *a) {
// CHECK-DAG: declares.c:[[@LINE+1]]:1: error: `acc cache` has to stand in a loop of a compute construct
#pragma acc cache(a[0:3])
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
// CHECK-DAG: declares.c:[[@LINE+1]]:19: error: `acc cache` takes elements and parts of arrays, and `n` is none
#pragma acc cache(n)
    a[i] = 0;
  }
#pragma acc data copy(a[0:n])
  {
// CHECK-DAG: declares.c:[[@LINE+1]]:34: error: `use_device` takes the name alone, `a`: its address is what changes
#pragma acc host_data use_device(a[0:n])
    a[0] = 1;
  }
}
