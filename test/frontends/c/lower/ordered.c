// Arrays of which a directive promises copies that are not made are marked: by no
// directive are loops that need such copies independent.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s
// RUN: terrace compile %s --emit mlir | terrace-opt - -offload-parallelize=notes -o %t 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s --check-prefix=PAR < %t
// RUN: terrace explain %s | FileCheck %s --check-prefix=SAY

// Each update of a byte reads it, decides and writes it: no atomic update does that.
// CHECK-LABEL: func.func @any.region0(
// CHECK-SAME: memref<5xi8> {acc.access = "readwrite", acc.name = "found", acc.ordered}
// CHECK-SAME: memref<?xi8> {acc.access = "read", acc.name = "a"}
// NOTE: warning: the loop stays sequential although a directive says that its iterations are independent: an iteration writes found[x % 5]
// SAY: - the loop over x runs in order: an iteration writes found[x % 5]
// SAY-NOT: the directive was followed
// SAY: - the directive asks for: reduction
// PAR-LABEL: @any.region0(
// PAR-NOT: affine.parallel
// PAR: affine.for
void any(int n, const char *restrict a, char *restrict out) {
  char found[5] = {0};
#pragma acc parallel loop reduction(||:found)
  for (int x = 0; x < 5 * n; ++x) found[x % 5] = found[x % 5] || a[x];
  for (int x = 0; x < 5; ++x) out[x] = found[x];
}

// Words that are 0 or 1 one atomic op updates.
// SAY: - the loop over x is parallel
// SAY: - the directive was followed: reduction
// PAR-LABEL: @all.region0(
// PAR: affine.parallel
// PAR: memref.atomic_rmw andi
void all(int n, const int *restrict a, int *restrict out) {
  int found[3][5] = {{1, 2, 3, 4, 5}, {1}};
#pragma acc parallel loop reduction(&&:found)
  for (int x = 0; x < 5 * n; ++x) found[x % 3][x % 5] = a[x] && found[x % 3][x % 5];
  for (int x = 0; x < 5; ++x) out[x] = found[1][x];
}

// A product that one atomic op updates needs no copies.
// CHECK-LABEL: func.func @product.region0(
// CHECK-SAME: acc.name = "p", acc.ordered}
// SAY: - the directive was followed: reduction
// PAR-LABEL: @product.region0(
// PAR: affine.parallel
// PAR: memref.atomic_rmw mulf
void product(int n, const double *restrict a, double p[restrict 3]) {
#pragma acc parallel loop reduction(*:p[0:3])
  for (int x = 0; x < n; ++x) p[x % 3] = p[x % 3] * a[x];
}

// The gangs share c: they come one after another, the workers do not. What is only
// read may be shared.
// CHECK-LABEL: func.func @gangs.region0(
// CHECK-SAME: {acc.access = "read", acc.name = "r"}
// CHECK-SAME: acc.name = "c", acc.ordered}
// PAR-LABEL: @gangs.region0(
// PAR: affine.for
// PAR: affine.parallel
// PAR: affine.parallel
void gangs(int n, const double *restrict a, double *restrict c, const double *restrict r,
           double *restrict d) {
#pragma acc parallel firstprivate(c[0:n], r[0:n])
  {
#pragma acc loop gang independent
    for (int x = 0; x < 10; ++x) {
#pragma acc loop worker independent
      for (int y = 0; y < n; ++y) c[y] = a[x * n + y] + r[y];
#pragma acc loop worker independent
      for (int y = 0; y < n; ++y) d[x * n + y] = c[n - 1 - y];
    }
  }
}
