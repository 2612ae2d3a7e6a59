// Arrays, pointers and records become memrefs and values.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

struct point { double x, y; int tag[3]; };

// CHECK-DAG: memref.global @table : memref<2x3xi32> = dense<{{\[\[}}1, 2, 3], [4, 0, 0]]>
// CHECK-DAG: memref.global "private" @hidden : memref<4xf64> = dense<0.000000e+00>
int table[2][3] = {{1, 2, 3}, {4}};
static double hidden[4];

// CHECK-LABEL: func.func @types(
// CHECK-SAME: %arg0: memref<?xf64>
// CHECK-SAME: %arg1: memref<?x7xf32>
// CHECK-SAME: %arg2: i32
// CHECK-SAME: %arg3: memref<?x?xi8>
// CHECK-SAME: %arg4: i8
void types(double *p, float (*q)[7], int n, char v[n][n], _Bool b) {
  p[0] = q[1][2] + v[n - 1][0] + b + hidden[1] + table[1][2];
}

// A pointer is an array and a subscript.
// CHECK-LABEL: func.func @walk(
// CHECK: scf.while (%{{.*}} = %c0{{.*}}) : (index) -> index
double walk(int n, double *a) {
  double *p = a;
  while (*p > 0) p++;
  return p - a;
}

// An element's address in an array of arrays is one in all of its elements.
// CHECK-LABEL: func.func @flat(
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<?x8xf64> into memref<?xf64>
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} + symbol(%{{.*}}) * 8]
void flat(int n, double (*a)[8]) {
  double *p = &a[n][0];
  for (int i = 0; i < 100; i++) p[i] = 0;
}

// Fields of a record are values, of an array of records arrays.
// CHECK-LABEL: func.func @records(
// CHECK-DAG: memref.alloca() : memref<5xf64>
// CHECK-DAG: memref.alloca() : memref<5x3xi32>
// CHECK: return
double records(int n) {
  struct point a[5], p = {1, 2}, q;
  q = p;
  for (int i = 0; i < 5; i++) {
    a[i].x = q.y;
    a[i].tag[i % 3] = n;
  }
  return q.x + a[n].x;
}

// Division of what is not negative is affine.
// CHECK-LABEL: func.func @halves(
// CHECK: affine.load %{{.*}}[%[[I:.*]] floordiv 2]
// CHECK: affine.load %{{.*}}[%[[I]] mod 5]
int halves(int n, int *a) {
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i / 2] + a[i % 5];
  return s;
}
