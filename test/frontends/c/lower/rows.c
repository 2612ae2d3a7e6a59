// Elements behind pointers in memory: the pointer is loaded, and a memref made of it.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

struct list { int length; double *data; };
struct body { float mass, pos[3]; };

// CHECK-LABEL: func.func @rows.region0(
// CHECK-SAME: memref<?xi64>
// CHECK: affine.for
// CHECK: [[P:%.+]] = affine.load %{{.+}}[%{{.+}}] : memref<?xi64>
// CHECK: [[ROW:%.+]] = xfer.at_address [[P]] : memref<?xf64>
// CHECK: affine.store %{{.+}}, [[ROW]][%{{.+}}] : memref<?xf64>
void rows(int n, int m, double **a) {
#pragma acc parallel loop present(a)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = 1;
}

// CHECK-LABEL: func.func @fields.region0(
// CHECK-SAME: memref<?xi64, strided<[2]>>
// CHECK: xfer.at_address %{{.+}} : memref<?xf64>
void fields(int n, struct list *l) {
#pragma acc parallel loop present(l)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < l[i].length; j++) l[i].data[j] = 1;
}

// CHECK-LABEL: func.func @records.region0(
// CHECK: xfer.at_address %{{.+}} : memref<?x3xf32, strided<[4, 1], offset: 1>>
void records(int n, struct body *cell[4]) {
#pragma acc parallel loop present(cell)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < n; j++) cell[i][j].pos[2] = 1;
}

// CHECK-LABEL: func.func @levels.region0(
// CHECK: [[Q:%.+]] = xfer.at_address %{{.+}} : memref<?xi64>
// CHECK: affine.load [[Q]]
// CHECK: xfer.at_address %{{.+}} : memref<?xi32>
void levels(int n, int ***a) {
#pragma acc parallel loop present(a)
  for (int i = 0; i < n; i++) a[i][i][i] = 1;
}
