// RUN: terrace-opt %s -affine-parallel-boxes -split-input-file | FileCheck %s
// RUN: terrace-opt %s -affine-parallel-boxes -split-input-file -o /dev/null --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: 1 num-loops
// A triangle: the box of both loops, and what the bound said as a condition.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (d0 - d1 >= 0)>
// CHECK-LABEL: func.func @triangle
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT: affine.if [[SET]](%[[J]], %[[I]]) {
// CHECK-NEXT: affine.store %{{.*}}, %arg0[%[[I]], %[[J]]]
func.func @triangle(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// As LU updates a matrix: bounds of the loop outside stay, which the host runs.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (-d0 + d1 - 1 >= 0)>
// CHECK-LABEL: func.func @below
// CHECK: affine.for %[[K:.*]] = 0
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K]] + 2) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K]] + 1) to (symbol(%arg1) - 1) {
// CHECK-NEXT: affine.if [[SET]](%[[J]], %[[I]]) {
func.func @below(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 2) to (symbol(%n)) {
      affine.parallel (%j) = (%k + 1) to (%i) {
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Three loops, each from the one before on: one condition for all, in the innermost.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1, d2) : (d0 - d1 >= 0, d2 - d0 >= 0)>
// CHECK-LABEL: func.func @three
// CHECK-COUNT-3: affine.parallel (%{{.*}}) = (0) to (symbol(%arg1)) {
// CHECK: affine.if [[SET]]
func.func @three(%a: memref<?x?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.parallel (%k) = (%j) to (symbol(%n)) {
        affine.store %0, %a[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// -----

// Along a diagonal the box has any number of iterations more; a step of two does not begin
// where the box does; and a loop with a loop beside it is no band.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: affine.if
func.func @diagonal(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (%i + 3) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) step (2) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
    affine.store %0, %a[%i, 0] : memref<?x?xf64>
  }
  return
}
