// RUN: terrace-opt %s -affine-delay-updates='size=4' | FileCheck %s
// RUN: terrace-opt %s -affine-delay-updates='size=4 least=4' | FileCheck %s --check-prefix=LEAST

// LU: the diagonal block stays in its steps; the rest of the panel, its rows, and what is beyond
// both run behind the tile.

// CHECK: #[[FIRST:.*]] = affine_map<()[s0] -> (s0 - 15)>
// CHECK: #[[REST:.*]] = affine_map<()[s0] -> (0, (s0 floordiv 4) * 4 - 12)>
// CHECK-LABEL: func.func @lu
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x?xf64>
// CHECK: affine.for %[[K0:.*]] = 0 to #[[FIRST]]()[%[[N:.*]]] step 4 {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK: arith.divf
// CHECK: } {gpu.mapper = "loops"}
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK: affine.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[J]]) {
// CHECK: affine.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: affine.load %[[A]][%[[J]], %[[J]]]
// CHECK: arith.divf
// CHECK-NEXT: affine.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[J:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[I]]) {
// CHECK: affine.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK: affine.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK: } {affine.delayed}
// CHECK: affine.for %[[K:.*]] = max #[[REST]]()[%[[N]]] to %[[N]] {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%[[N]])) {
// CHECK: } {gpu.mapper = "loops"}
// CHECK: } {gpu.mapper = "loops"}

// LEAST: affine_map<()[s0] -> (s0 - 3)>
// LEAST: affine_map<()[s0] -> (0, (s0 floordiv 4) * 4)>
func.func @lu(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%i) = (%k + 1) to (symbol(%N)) {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%N), symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Rows are what is scaled: it is the columns beyond the tile that go with the quotients.
// CHECK-LABEL: func.func @scaled_rows
// CHECK: affine.for %[[K0:.*]] = 0 to #{{.*}}()[%[[N:.*]]] step 4 {
// CHECK: affine.parallel (%[[J:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[I]]) {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK: arith.divf
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[J:.*]] =
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[J]]) {
// CHECK: affine.delayed
func.func @scaled_rows(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%j) = (%k + 1) to (symbol(%N)) {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%k, %j] : memref<?x?xf64>
      %u = arith.divf %a, %pivot : f64
      affine.store %u, %A[%k, %j] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%N), symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A triangle has no elements that are beyond the tile by their column alone. The size of the
// array, asked for again in each step, is the one that the steps end at.
// CHECK-LABEL: func.func @cholesky
// CHECK: affine.for %[[K0:.*]] = 0 to #{{.*}}()[%{{.*}}] step 4 {
// CHECK: math.sqrt
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[K0]]) to #{{.*}}(%[[J]]) {
// CHECK: arith.divf
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K0]] + 4) to (%[[I]] + 1) {
// CHECK-NEXT: affine.for
// CHECK: affine.delayed
// CHECK: affine.for %{{.*}} = max
// CHECK: math.sqrt
func.func @cholesky(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    %d = affine.load %A[%k, %k] : memref<?x?xf64>
    %root = math.sqrt %d : f64
    affine.store %root, %A[%k, %k] : memref<?x?xf64>
    affine.parallel (%i) = (%k + 1) to (symbol(%N)) {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    %again = arith.constant 0 : index
    %M = memref.dim %A, %again : memref<?x?xf64>
    affine.parallel (%i) = (%k + 1) to (symbol(%M)) {
      affine.parallel (%j) = (%k + 1) to (%i + 1) {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%j, %k] : memref<?x?xf64>
        %lu = arith.mulf %l, %u : f64
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %rest = arith.subf %a, %lu : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Sizes that are known: of 22 steps two tiles leave 14, and the others begin at 8. One loop of the
// nest begins behind the step, and what is updated is no product.
// CHECK-LABEL: func.func @known
// CHECK: affine.for %[[K0:.*]] = 0 to 7 step 4 {
// CHECK: affine.parallel (%{{.*}}) = (0) to (30) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%{{.*}} + 3) to (min(%[[K0]] + 6, 9)) {
// CHECK: affine.parallel (%{{.*}}) = (0) to (30) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K0]] + 6) to (9) {
// CHECK-NEXT: affine.for
// CHECK: arith.maximumf
// CHECK: affine.delayed
// CHECK: affine.for %{{.*}} = 8 to 22 {
func.func @known(%A: memref<30x30xf64>, %v: memref<30xf64>) {
  affine.for %k = 0 to 22 {
    affine.parallel (%i, %j) = (0, %k + 3) to (30, 9) {
      %x = affine.load %A[%i, %k] : memref<30x30xf64>
      %y = affine.load %v[%k] : memref<30xf64>
      %s = arith.addf %x, %y : f64
      %a = affine.load %A[%i, %j] : memref<30x30xf64>
      %m = arith.maximumf %a, %s : f64
      affine.store %m, %A[%i, %j] : memref<30x30xf64>
    }
  }
  return
}

// Columns begin two behind the step, so that a thread of a row does its steps one after the other.
// CHECK-LABEL: func.func @two_behind
// CHECK: affine.for %[[K0:.*]] = 0 to #{{.*}}()[%[[N:.*]]] step 4 {
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[K0]]) to #{{.*}}(%[[K0]]) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[K]]) to #{{.*}}(%[[K0]]) {
// CHECK: affine.parallel (%{{.*}}) = (%[[K0]] + 5) to
// CHECK: affine.parallel (%{{.*}}) = (%[[K0]] + 4) to
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K0]] + 5) to
// CHECK: affine.delayed
func.func @two_behind(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%i, %j) = (%k + 1, %k + 2) to (symbol(%N), symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Each step keeps its whole column, so all rows of it are updated in their steps; columns beyond
// the tile are not.
// CHECK-LABEL: func.func @kept_columns
// CHECK: affine.for %[[K0:.*]] = 0 to #{{.*}}()[%[[N:.*]]] step 4 {
// CHECK-NEXT: affine.for %[[K:.*]] =
// CHECK-NEXT: affine.parallel (%{{.*}}) = (0) to (symbol(%[[N]])) {
// CHECK: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK: affine.parallel (%[[J:.*]]) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.for %[[I:.*]] =
// CHECK: affine.delayed
func.func @kept_columns(%A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%i) = (0) to (symbol(%N)) {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      affine.store %a, %B[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%N), symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Both a whole row and a whole column are kept: only what is beyond the tile in both waits.
// CHECK-LABEL: func.func @kept_both
// CHECK: affine.for %[[K0:.*]] = 0 to #{{.*}}()[%[[N:.*]]] step 4 {
// CHECK-NEXT: affine.for %[[K:.*]] =
// CHECK: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (%[[K0]] + 4) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K0]] + 4) to (symbol(%[[N]])) {
// CHECK: affine.delayed
func.func @kept_both(%A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%i) = (0) to (symbol(%N)) {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %b = affine.load %A[%k, %i] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%N), symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
