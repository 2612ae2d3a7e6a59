// Arrays whose rows lie where pointers in memory say, in loops that the analysis looks at: a memref
// with a table. That rows lie apart the program finds out.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s
// RUN: terrace explain %s | FileCheck %s --check-prefix=SAY

// CHECK-LABEL: func.func @scale.region0(
// CHECK-SAME: memref<?x?xf64, #rows.tables<1>> {acc.access = "readwrite", acc.name = "a", acc.overlaps = array<i64: 3>}
// CHECK-SAME: memref<?x?xf64, #rows.tables<1>> {acc.access = "read", acc.name = "b", acc.overlaps = array<i64: 2>}
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}} + 1] : memref<?x?xf64, #rows.tables<1>>
// SAY: these are taken to be different memory: a and b
// SAY: the loop over i is parallel
void scale(int n, int m, double **a, double **b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += b[i][j + 1];
#pragma endscop
}

// A row by its pointer, an array of pointers, rows of arrays.
// CHECK-LABEL: func.func @rows.region0(
// CHECK-SAME: memref<?x?xi8, #rows.tables<1>> {acc.access = "write", acc.name = "t"
// CHECK-SAME: memref<?x?x4xi32, #rows.tables<1>> {acc.access = "read", acc.name = "q"
// CHECK: affine.store %{{.*}}[%{{.*}} + 1, %{{.*}} + 2] : memref<?x?xi8, #rows.tables<1>>
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}}, 3] : memref<?x?x4xi32, #rows.tables<1>>
static char *t[8];
void rows(int m, int (*q[8])[4], int *s) {
#pragma scop
  for (int i = 0; i < 7; i++) {
    char *row = t[i + 1];
    for (int j = 0; j < m; j++) row[j + 2] = 1;
    for (int j = 0; j < m; j++) s[8 * j + i] = q[i][j][3];
  }
#pragma endscop
}

// Pointers that are members of records: 2 words from one to the next.
struct layer { long n; float *w; };
// CHECK-LABEL: func.func @layers.region0(
// CHECK-SAME: memref<?x?xf32, #rows.tables<2>> {acc.access = "readwrite", {{.*}}acc.name = "l[].w"
void layers(int n, struct layer *l) {
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 100; i++) l[k].w[i] *= 0.5f;
#pragma endscop
}

// SAY: this region stays on the host: rows that lie where pointers in memory say are followed on cores alone
void on_cores(int n, float **a) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 100; k++) a[i][k] = k;
#pragma endscop
}

// Which elements of the rows are written only memory says.
// SAY: this region stays on the host: whether its rows lie apart: which part of it a[i][at[k]] reaches: at[k] is read from memory
void scattered(int n, float **a, const int *at) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 100; k++) a[i][at[k]] = k;
#pragma endscop
}
