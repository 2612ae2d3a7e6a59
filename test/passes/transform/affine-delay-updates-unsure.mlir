// RUN: terrace-opt %s -affine-delay-updates=size=4 | FileCheck %s

// The row of the step is updated too, from itself: the elements of the tile's own rows and
// columns are not those of the steps behind.
// CHECK-LABEL: func.func @own_row
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to %
// CHECK-NEXT: affine.parallel (%{{.*}}, %{{.*}}) = (%[[K]], %[[K]] + 1) to
func.func @own_row(%A: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%i, %j) = (%k, %k + 1) to (symbol(%n), symbol(%n)) {
      %l = affine.load %A[%k, %i] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What each iteration of a nest reads is an element beside the diagonal, which the update
// of a step before must have reached, whichever thread has it: none of the nest waits.
// CHECK-LABEL: func.func @beside_the_diagonal
// CHECK: affine.for %[[T:.*]] = 0 to {{.*}} step 4
// CHECK-NEXT: affine.for %[[K:.*]] =
// CHECK-NEXT: affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%{{.*}}))
// CHECK-NEXT: affine.load %{{.*}}[%[[K]], %[[K]] + 1]
func.func @beside_the_diagonal(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 1) to (symbol(%n)) {
      %x = affine.load %A[%k, %k + 1] : memref<?x?xf64>
      %y = affine.load %A[%k, %k] : memref<?x?xf64>
      %q = arith.divf %x, %y : f64
      affine.store %q, %B[%k, %i] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%n), symbol(%n)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
