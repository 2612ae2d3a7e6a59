// Parts of arrays, and pointers of the device (2.7.1, 2.7.4).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void parts(int n, double *a, double *b) {
  double q[10], r[4][10];
// CHECK-DAG: sections.c:[[@LINE+1]]:36: error: a section has no negative length, and this is -5
#pragma acc parallel loop copy(a[0:-5])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: sections.c:[[@LINE+1]]:34: error: the elements of `q` are counted from 0, and this is -2
#pragma acc parallel loop copy(q[-2:5])
  for (int i = 0; i < 5; i++) q[i] = 0;
// CHECK-DAG: sections.c:[[@LINE+1]]:32: error: this section of `q` reaches to element 10, and the last one is 9
#pragma acc parallel loop copy(q[5:6])
  for (int i = 5; i < 10; i++) q[i] = 0;
// CHECK-DAG: sections.c:[[@LINE+1]]:31: error: this section of `r` reaches to element 11, and the last one is 9
#pragma acc enter data copyin(r[0:4][4:8])
// CHECK-DAG: sections.c:[[@LINE+1]]:25: error: this section of `r` reaches to element 4, and the last one is 3
#pragma acc update self(r[4])
// A pointer may lead into an array.
#pragma acc parallel loop copy(a[-2:5])
  for (int i = 0; i < 3; i++) a[i] = 0;
#pragma acc parallel loop copy(q[9:1], r[3][0:10])
  for (int i = 0; i < 10; i++) r[3][i] = q[9];
  b[0] = q[1] + r[0][0];
}

void pointers(int n, double *a, double *b) {
  double q[10];
// CHECK-DAG: sections.c:[[@LINE+1]]:37: error: `deviceptr` is for pointers, and `q` is `double [10]`
#pragma acc parallel loop deviceptr(q)
  for (int i = 0; i < 10; i++) q[i] = 0;
// CHECK-DAG: sections.c:[[@LINE+1]]:37: error: `deviceptr` takes the pointer alone, `a`: there is nothing to copy
#pragma acc parallel loop deviceptr(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
  b[0] = q[0];
}
