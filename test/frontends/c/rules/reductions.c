// What is reduced, by what, and where (2.5.4, 2.5.15, 2.9.11).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void operators(int n, double *a, const int *b) {
  double s = 0;
  float f = 0;
  int k = 0;
  const int c = 0;
// CHECK-DAG: reductions.c:[[@LINE+1]]:27: note: the loop with `+` is here
#pragma acc parallel loop reduction(+ : s) copy(a[0:n])
  for (int i = 0; i < n; i++) {
// CHECK-DAG: reductions.c:[[@LINE+1]]:34: error: `s` is reduced by `max` here and by `+` in a loop around it
#pragma acc loop reduction(max : s)
    for (int j = 0; j < n; j++) s = s > a[j] ? s : a[j];
  }
// One that is private between is another.
#pragma acc parallel loop reduction(+ : s) copy(a[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc loop private(s)
    for (int j = 0; j < n; j++) {
      s = 0;
#pragma acc loop reduction(max : s)
      for (int l = 0; l < n; l++) s = s > a[l] ? s : a[l];
      a[j] = s;
    }
  }
// CHECK-DAG: reductions.c:[[@LINE+1]]:41: error: `f` is `float`, which `&` cannot reduce
#pragma acc parallel loop reduction(& : f) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: reductions.c:[[@LINE+1]]:41: error: `b` is a pointer, which `+` cannot reduce
#pragma acc parallel loop reduction(+ : b) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: reductions.c:[[@LINE+1]]:41: error: `c` is const, and a reduction changes it
#pragma acc parallel loop reduction(+ : c) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = c;
// CHECK-DAG: reductions.c:[[@LINE+2]]:38: error: `reduction` cannot stand on a construct with several dimensions of gangs
// CHECK-DAG: reductions.c:[[@LINE+1]]:22: note: its `num_gangs` is here
#pragma acc parallel num_gangs(2, 2) reduction(+ : k)
  k += 1;
  a[0] = s + f + k;
}
