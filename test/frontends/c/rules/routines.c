// Levels of routines, what stands in them and who calls them (2.15.1).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

#pragma acc routine gang
void by_gangs(int n, double *a) {
#pragma acc loop gang
  for (int i = 0; i < n; i++) a[i] = 1;
}

#pragma acc routine vector
void by_vectors(int n, double *a) {
#pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] = 1;
}

// CHECK-DAG: routines.c:[[@LINE+2]]:1: note: the routine's directive is here
// CHECK-DAG: routines.c:[[@LINE+1]]:1: note: the caller's directive is here
#pragma acc routine seq
void in_order(int n, double *a) {
// CHECK-DAG: routines.c:[[@LINE+1]]:18: error: a `vector` loop cannot stand in a `seq` routine, whose callers leave no vector for it
#pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: routines.c:[[@LINE+1]]:3: error: `by_gangs` is a `gang` routine, which a `seq` routine cannot call
  by_gangs(n, a);
}

// CHECK-DAG: routines.c:[[@LINE+1]]:1: note: the routine's directive is here
#pragma acc routine
void bare(int n, double *a) {
// CHECK-DAG: routines.c:[[@LINE+1]]:18: error: a `worker` loop cannot stand in a `seq` routine, whose callers leave no worker for it
#pragma acc loop worker
  for (int i = 0; i < n; i++) a[i] = 1;
}

// CHECK-DAG: routines.c:[[@LINE+1]]:1: note: the routine's directive is here
#pragma acc routine worker
void of_workers(int n, double *a) {
// CHECK-DAG: routines.c:[[@LINE+1]]:18: error: a `gang` loop cannot stand in a `worker` routine, whose callers leave no gang for it
#pragma acc loop gang
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: routines.c:[[@LINE+1]]:25: error: `worker` takes no number in a routine, whose caller says how many there are
#pragma acc loop worker(8)
  for (int i = 0; i < n; i++) a[i] = 1;
}

// CHECK-DAG: routines.c:[[@LINE+1]]:1: note: the first directive is here
#pragma acc routine seq
void twice(double *a);
// CHECK-DAG: routines.c:[[@LINE+1]]:21: error: `twice` is a `seq` routine already, and cannot be a `vector` routine too
#pragma acc routine vector
void twice(double *a) { a[0] = 1; }

#pragma acc routine gang
void sum(int n, const double *a, double *r) {
  double s = 0;
// CHECK-DAG: routines.c:[[@LINE+1]]:23: error: `reduction` cannot stand on a `gang` loop of a routine: gangs are combined at the end of a construct only
#pragma acc loop gang reduction(+ : s)
  for (int i = 0; i < n; i++) s += a[i];
  *r = s;
}

void callers(int n, double *a) {
// CHECK-DAG: routines.c:[[@LINE+1]]:27: note: the loop is here
#pragma acc parallel loop gang copy(a[0:n * n])
// CHECK-DAG: routines.c:[[@LINE+1]]:31: error: `by_gangs` is a `gang` routine, which a `gang` loop cannot call: it leaves no gang for it
  for (int i = 0; i < n; i++) by_gangs(n, a + i * n);
// CHECK-DAG: routines.c:[[@LINE+1]]:32: note: the loop is here
#pragma acc parallel loop gang vector copy(a[0:n * n])
// CHECK-DAG: routines.c:[[@LINE+1]]:31: error: `by_vectors` is a `vector` routine, which a `vector` loop cannot call: it leaves no vector for it
  for (int i = 0; i < n; i++) by_vectors(n, a + i * n);
#pragma acc parallel loop gang copy(a[0:n * n])
  for (int i = 0; i < n; i++) by_vectors(n, a + i * n);
}
