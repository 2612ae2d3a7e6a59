// Jumps out of loops that are shared out, and into constructs (2.5.4, 2.9).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void out(int n, double *a) {
#pragma acc parallel copy(a[0:n])
  {
// CHECK-DAG: jumps.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc loop gang
    for (int i = 0; i < n; i++) {
// CHECK-DAG: jumps.c:[[@LINE+1]]:21: error: `goto after` leaves a loop whose directive shares out its iterations; that is for loops with `seq`
      if (a[i] < 0) goto after;
      a[i] = 0;
    }
  after:;
// CHECK-DAG: jumps.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc loop gang
    for (int i = 0; i < n; i++) {
// CHECK-DAG: jumps.c:[[@LINE+1]]:21: error: `break` leaves a loop whose directive shares out its iterations; that is for loops with `seq`
      if (a[i] < 0) break;
      for (int j = 0; j < 3; j++)
        if (a[i] < j) break;
    }
  }
// CHECK-DAG: jumps.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc kernels loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
// CHECK-DAG: jumps.c:[[@LINE+1]]:19: error: `return` leaves a loop whose directive shares out its iterations; that is for loops with `seq`
    if (a[i] < 0) return;
    a[i] = 0;
  }
#pragma acc parallel loop seq copy(a[0:n])
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) break;
    a[i] = 0;
  }
}

void into(int n, double *a) {
// CHECK-DAG: jumps.c:[[@LINE+1]]:14: error: `goto inside` goes into a construct, which begins at its start
  if (n > 5) goto inside;
// CHECK-DAG: jumps.c:[[@LINE+1]]:1: note: the construct is here
#pragma acc parallel copy(a[0:n])
  {
    a[0] = 1;
  inside:
    a[1] = 2;
  }
// CHECK-DAG: jumps.c:[[@LINE+1]]:14: error: `goto held` goes into a construct, which begins at its start
  if (n > 6) goto held;
// CHECK-DAG: jumps.c:[[@LINE+1]]:1: note: the construct is here
#pragma acc data copy(a[0:n])
  {
    a[0] = 1;
  held:
    a[1] = 2;
  }
}
