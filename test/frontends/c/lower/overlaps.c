// Which arrays of a region may be the same memory, as far as C promises.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s
double *g;
static double A[100], B[100];
struct pair { double *restrict x, *y; };

// One restrict is enough where the other pointer is a parameter that nobody assigns.
// CHECK-LABEL: func.func @one.region0
// CHECK-SAME: noalias
void one(int n, double *restrict a, const double *b) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
  for (int i = 1; i < n; i++) a[i] = b[i - 1] + b[i];
}

// b is based on a, and may be what is written through it.
// CHECK-LABEL: func.func @based.region0
// CHECK-SAME: acc.name = "b", acc.overlaps = array<i64: 2>
// CHECK-SAME: acc.name = "a", acc.overlaps = array<i64: 1>
// CHECK-NOT: noalias
void based(int n, double *restrict a) {
  double *b = a + 1;
#pragma acc parallel loop present(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) a[i] = 2 * b[i] + a[i];
}

// CHECK-LABEL: func.func @row.region0
// CHECK-SAME: acc.overlaps
void row(int n, double (*restrict a)[4]) {
  double *b = a[1];
#pragma acc parallel loop present(a[0:n][0:4], b[0:n])
  for (int i = 0; i < n; i++) a[i][0] = 2 * b[i];
}

// CHECK-LABEL: func.func @assigned.region0
// CHECK-SAME: acc.overlaps
void assigned(int n, double *restrict a, double *b) {
  b = &a[1];
#pragma acc parallel loop present(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) a[i] = 2 * b[i];
}

// Both promise.
// CHECK-LABEL: func.func @both.region0
// CHECK-SAME: noalias
void both(int n, double *restrict a) {
  double *restrict b = a + n;
#pragma acc parallel loop present(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) a[i] = 2 * b[i];
}

// Nothing keeps what a points to, so that g cannot be based on it.
// CHECK-LABEL: func.func @global.region0
// CHECK-SAME: noalias
void global(int n, double *restrict a) {
#pragma acc parallel loop copy(a[0:n]) copyin(g[0:n])
  for (int i = 0; i < n; i++) a[i] = g[i];
}

// CHECK-LABEL: func.func @kept.region0
// CHECK-SAME: acc.overlaps
void kept(int n, double *restrict a) {
  g = a + 1;
#pragma acc parallel loop copy(a[0:n]) copyin(g[0:n])
  for (int i = 0; i < n; i++) a[i] = g[i];
}

void keep(double *a);
// CHECK-LABEL: func.func @passed.region0
// CHECK-SAME: acc.overlaps
void passed(int n, double *restrict a) {
  keep(a);
#pragma acc parallel loop copy(a[0:n]) copyin(g[0:n])
  for (int i = 0; i < n; i++) a[i] = g[i];
}

// CHECK-LABEL: func.func @objects.region0
// CHECK-SAME: noalias
void objects(void) {
#pragma scop
  for (int i = 0; i < 100; i++) A[i] = B[i] + 1;
#pragma endscop
}

// The object may be what the pointer leads to.
// CHECK-LABEL: func.func @object.region0
// CHECK-SAME: acc.overlaps
void object(double *a) {
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = B[i] + 1;
}

// Only what is written matters.
// CHECK-LABEL: func.func @read.region0
// CHECK-SAME: acc.name = "a"}
// CHECK-SAME: acc.name = "b"}
// CHECK-SAME: noalias
double read(int n, double *a, double *b) {
  double s = 0;
#pragma acc parallel loop reduction(+ : s) copyin(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
