// Which loops become affine.for, scf.for and scf.while.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// Counters declared outside: nothing is carried, and the last value is a maximum.
// CHECK-LABEL: func.func @up(
// CHECK: %[[N:.*]] = arith.index_cast %arg0 {{.*}}: i32 to index
// CHECK: affine.for %{{.*}} loc("i"({{.*}})) = 1 to #{{.*}}()[%[[N]]] {
// CHECK: affine.store
// CHECK-NOT: iter_args
// CHECK: arith.maxsi
int up(int n, int *a) {
  int i, t;
  for (i = 1; i < n - 1; i++) {
    t = a[i - 1];
    a[i] = t;
  }
  return i;
}

// CHECK-LABEL: func.func @triangle(
// CHECK: affine.for %[[I:.*]] loc({{.*}}) = 0 to %{{[0-9]+}} {
// CHECK: affine.for %[[J:.*]] loc({{.*}}) = #{{.*}}(%[[I]]) to %{{[0-9]+}} step 2 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]] * 2, -%[[I]] + %[[J]]]
void triangle(int n, double a[][64]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j += 2)
      a[2 * i][j - i] = 0;
}

// Down: the counter is computed from one that goes up.
// CHECK-LABEL: func.func @down(
// CHECK: affine.for %[[I:.*]] loc("i"({{.*}})) = 0 to %[[N:.*]] {
// CHECK: affine.store %{{.*}}, %{{.*}}[-%[[I]] + symbol(%[[N]]) - 1]
void down(int n, double *a) {
  for (int i = n - 1; i >= 0; i--) a[i] = 1;
}

// CHECK-LABEL: func.func @minimum(
// CHECK: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to min #
void minimum(int n, int m, double *a) {
  for (int i = n > 4 ? n : 4; i < (n < m ? n : m); i++) a[i] = 1;
}

// Two conditions are two bounds.
// CHECK-LABEL: func.func @both(
// CHECK: affine.for %{{.*}} = 0 to min #
void both(int n, int m, double *a) {
  for (int i = 0; i < n && i < m; i++) a[i] = 1;
}

// Bounds from memory do not change in the loop, and are not affine.
// CHECK-LABEL: func.func @rows(
// CHECK: affine.for
// CHECK: scf.for %[[K:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %c1 iter_args
// CHECK: memref.load %{{.*}}[%[[K]]]
void rows(int n, const int *start, const double *v, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = start[i]; k < start[i + 1]; k++) s += v[k];
    y[i] = s;
  }
}

// CHECK-LABEL: func.func @leaves(
// CHECK: scf.while
int leaves(int n, const int *a) {
  int i;
  for (i = 0; i < n; i++)
    if (a[i] < 0) break;
  return i;
}

// What continue skips is in a branch.
// CHECK-LABEL: func.func @skips(
// CHECK: affine.for
// CHECK: scf.if
// CHECK-NOT: scf.while
void skips(int n, int *a) {
  for (int i = 0; i < n; i++) {
    if (a[i] == 3) continue;
    a[i] = 1;
  }
}

// A condition on counters is affine.
// CHECK-LABEL: func.func @conditions(
// CHECK: affine.if #{{.*}}(%{{.*}}, %{{.*}}) {
void conditions(int n, double (*a)[8]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++)
      if (i > j && j >= 2) a[i][j] = 0;
}

// An unsigned loop that ends by wrapping around.
// CHECK-LABEL: func.func @wraps(
// CHECK: scf.while
void wraps(unsigned long n, double *a) {
  for (unsigned long i = n - 1; i < n; i--) a[i] = 0;
}

// A bound from an array stays where another array is stored to by its name; not where the same one
// is, or what a pointer leads to.
// CHECK-LABEL: func.func @named(
// CHECK: affine.for
// CHECK: scf.while
// CHECK: scf.while
// CHECK: return
static int best[64], weight[64];
void named(int i, int *p) {
  for (int w = 60; w >= weight[i]; w--)
    best[w] = w;
  for (int w = 60; w >= weight[i]; w--)
    weight[w] = w;
  for (int w = 60; w >= weight[i]; w--)
    p[w] = w;
}
