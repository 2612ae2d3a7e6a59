// A pointer that is read from memory is an address: a subscript of all memory. Nothing
// says how that relates to other arrays, so only a directive makes such loops parallel.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s
// RUN: terrace explain %s | FileCheck %s --check-prefix=SAY

// CHECK-LABEL: func.func @scale.region0(
// CHECK-SAME: memref<?xi64> {acc.access = "read", acc.name = "a", acc.overlaps = array<i64: 3>, acc.pointers}
// CHECK-SAME: memref<?xf64> {acc.access = "readwrite", acc.anywhere, acc.name = "a[]", acc.overlaps = array<i64: 2>}
// CHECK: %[[P:.*]] = affine.load
// CHECK: %[[E:.*]] = arith.shrui %[[P]]
// CHECK: arith.index_cast %[[E]] : i64 to index
// SAY: - the loop over i is parallel
void scale(int n, int m, double **a) {
#pragma acc parallel loop copy(a[0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] *= 2;
}

// The rows may be one row, or b.
// SAY: for (int i = 0; i < n; i++) a[i][0] = b[i];
// SAY: the loop over i runs in order
// SAY-NOT: taken to be different memory
void maybe(int n, double **a, double *b) {
#pragma acc kernels copy(a[0:n][0:1]) copyin(b[0:n])
  for (int i = 0; i < n; i++) a[i][0] = b[i];
}

// Characters, and rows of pointers.
// CHECK-LABEL: func.func @set.region0(
// CHECK-SAME: memref<4xi64> {acc.access = "read", acc.name = "t", acc.overlaps = array<i64: 3>, acc.pointers}
// CHECK-SAME: memref<?xi64> {acc.access = "read", acc.anywhere, acc.name = "t[]", acc.overlaps = array<i64: 3>, acc.pointers}
// CHECK-SAME: memref<?xi8> {acc.access = "write", acc.anywhere, acc.name = "t[][]", acc.overlaps = array<i64: 1, 2>}
static char **t[4];
void set(int n) {
#pragma acc parallel loop present(t)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < n; j++) t[i][j][0] = 1;
}

// Where no clause says it, the pointers are on the device already.
// SAY: - t (32 bytes) is on the device already and is not copied: its pointers have to be on the device with what they point to
void there(int n) {
#pragma acc parallel loop
  for (int i = 0; i < 4; i++) t[i][0][0] = 1;
}
