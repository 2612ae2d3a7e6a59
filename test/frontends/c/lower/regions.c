// Regions: what their functions take and give, and what directives leave on loops.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

typedef struct { double x, y; int tag[2]; } body;
typedef struct { float *m; int rows, cols; } matrix;
double sqrt(double);
int total;

static double length(double x) { return x > 0 ? sqrt(x) : total; }

// A reduction: the sum comes in and goes out.
// CHECK-LABEL: func.func @dot.region0(
// CHECK-SAME: f64 {acc.access = "readwrite", acc.name = "s"}
// CHECK-SAME: i32 {acc.access = "read", acc.name = "n"}
// CHECK-SAME: memref<?xf64> {acc.access = "read", acc.name = "x"}
// CHECK-SAME: -> f64 attributes {acc.region = {construct = "parallel", noalias, num_gangs = 64 : i64, source = "acc", vector_length = 128 : i64}}
// CHECK: affine.for {{.*}} iter_args
// CHECK: } {acc.loop = {gang, reduction}, acc.reductions = array<i64: 0>}
// CHECK-LABEL: func.func @dot(
// CHECK: call @dot.region0
double dot(int n, const double *x, const double *y) {
  double s = 0;
  int i;
#pragma acc parallel loop gang reduction(+:s) num_gangs(64) vector_length(128)
  for (i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

// Fields of records are arrays of their own; calls are inlined with their globals.
// CHECK-LABEL: func.func @bodies.region0(
// CHECK-SAME: memref<?xf64, strided<[3]>> {acc.access = "read", acc.field = {of = "(b)[0]", offset = 0 : i64}, acc.name = "b[].x"}
// CHECK-SAME: i32 {acc.access = "read", acc.name = "total"}
// CHECK-SAME: memref<?x2xi32, strided<[6, 1]>> {acc.access = "write", acc.field = {of = "(b)[0]", offset = {{[0-9]+}} : i64}, acc.name = "b[].tag"}
// CHECK: math.sqrt
// CHECK-NOT: call
// CHECK: return
void bodies(int n, body *b) {
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    b[i].y += length(b[i].x);
    b[i].tag[1] = i;
  }
}

// Members of what a pointer points to are variables.
// CHECK-LABEL: func.func @members.region0(
// CHECK-SAME: acc.name = "p->rows"
// CHECK-SAME: acc.name = "p->cols"
// CHECK-SAME: memref<?xf32> {acc.access = "write", acc.name = "p->m"}
// CHECK: arith.muli %{{.*}}, %{{.*}} : index
// CHECK: memref.store
void members(matrix *p) {
#pragma acc kernels
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->cols; j++) p->m[i * p->cols + j] = 0;
}

// A private variable is one of each iteration; an atomic update is one op.
// CHECK-LABEL: func.func @clauses.region0(
// CHECK: affine.for
// CHECK-NOT: iter_args
// CHECK: memref.atomic_rmw addi
// CHECK: } {acc.loop = {collapse = 2 : i64, independent, private, vector = 32 : i64}}
void clauses(int n, int *h, int (*k)[10]) {
  int t, i, j;
#pragma acc kernels loop independent private(t) collapse(2) vector(32)
  for (i = 0; i < n; i++)
    for (j = 0; j < 10; j++) {
      t = k[i][j];
#pragma acc atomic
      h[t & 15] += t;
    }
}

// An atomic read is an update that leaves the element what it is.
// CHECK-LABEL: func.func @read.region0(
// CHECK-SAME: memref<?xi16> {acc.access = "read", acc.name = "a"
// CHECK: %[[OLD:.*]] = memref.generic_atomic_rmw %{{.*}}[%{{.*}}] : memref<?xi16> {
// CHECK-NEXT: ^bb0(%[[X:[a-z0-9]*]]: i16{{.*}}):
// CHECK-NEXT: memref.atomic_yield %[[X]] : i16
// CHECK: %[[V:.*]] = arith.extsi %[[OLD]] : i16 to i32
void read(int n, short *a, int *b) {
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (int i = 0; i < n; i++) {
    int v;
#pragma acc atomic read
    v = a[n - 1 - i];
    b[i] = v;
  }
}

// Several statements; what is read afterwards is a result.
// CHECK-LABEL: func.func @scop.region0(
// CHECK-SAME: -> f64 attributes {acc.region = {construct = "auto", noalias, source = "scop"}}
double scop(int n, double *a) {
  double last = 0, t;
  int i;
#pragma scop
  for (i = 0; i < n; i++) a[i] = i;
  for (i = 0; i < n; i++) {
    t = a[i] * 2;
    last = t;
  }
#pragma endscop
  return last;
}
