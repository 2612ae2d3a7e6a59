// The loops that tile is about, and the heads of loops that are shared out (2.9, 2.9.8).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void tiles(int n, double *a, double *b) {
// CHECK-DAG: nests.c:[[@LINE+1]]:27: note: `tile` is here
#pragma acc parallel loop tile(4, 4) copy(a[0:n * n], b[0:n])
  for (int i = 0; i < n; i++) {
// CHECK-DAG: nests.c:[[@LINE+1]]:5: error: `tile` is about 2 loops directly inside one another, and here is the body of loop 1
    b[i] = 0;
    for (int j = 0; j < n; j++) a[i * n + j] = 0;
  }
// CHECK-DAG: nests.c:[[@LINE+1]]:27: note: `tile` is here
#pragma acc parallel loop tile(4, 4) copy(a[0:n * n])
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) a[i * n + j] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:5: error: `tile` is about 2 loops directly inside one another, and here is the body of loop 1
    for (int j = 0; j < n; j++) a[i * n + j] += 1;
  }
// CHECK-DAG: nests.c:[[@LINE+1]]:27: note: `tile` is here
#pragma acc parallel loop tile(4, 4) copy(a[0:n * n])
  for (int i = 0; i < n; i++)
// CHECK-DAG: nests.c:[[@LINE+1]]:25: error: this loop has another number of iterations for each `i`, and `tile` cuts both: its loops are the sides of a rectangle
    for (int j = 0; j < i; j++) a[i * n + j] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:27: note: `tile` is here
#pragma acc parallel loop tile(4, 4) copy(a[0:n])
// CHECK-DAG: nests.c:[[@LINE+1]]:31: error: `tile` is about 2 loops directly inside one another, and here is the body of loop 1
  for (int i = 0; i < n; i++) a[i] = 0;
}

void heads(int n, double *a) {
// CHECK-DAG: nests.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc parallel loop copy(a[0:n])
// CHECK-DAG: nests.c:[[@LINE+1]]:3: error: `x` counts a loop whose iterations are shared out, and is no integer and no pointer
  for (float x = 0; x < n; x += 1) a[(int)x] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc parallel loop copy(a[0:n])
// CHECK-DAG: nests.c:[[@LINE+1]]:26: error: a loop whose iterations are shared out goes on by the same number each time; others need `seq`
  for (int i = 1; i < n; i *= 2) a[i] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc parallel loop copy(a[0:n])
// CHECK-DAG: nests.c:[[@LINE+1]]:26: error: a loop whose iterations are shared out goes on by the same number each time; others need `seq`
  for (int i = 1; i < n; i = 2 * i) a[i] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:1: note: the directive is here
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    a[i] = 0;
// CHECK-DAG: nests.c:[[@LINE+1]]:19: error: the counter of a loop whose iterations are shared out changes in the loop's head only
    if (a[i] > n) i += 2;
  }
#pragma acc parallel loop seq copy(a[0:n])
  for (int i = 1; i < n; i *= 2) a[i] = 0;
}
