// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(affine-raise-memref-copy))" | FileCheck %s

// A local array that was allocated with the sizes of the other, as `max(n, 0)` or by the name
// that `terrace.dims` gives them; loops in any order.

// CHECK-LABEL: func @dynamic(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK:         affine.parallel
// CHECK:         memref.copy %[[T]], %[[A]] : memref<?x?xf64> to memref<?x?xf64>
// CHECK-NEXT:    memref.dealloc %[[T]]
func.func @dynamic(%A: memref<?x?xf64> {terrace.dims = ["N", "M"]}, %B: memref<?xf64> {terrace.dims = ["M"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %m = memref.dim %A, %c1 : memref<?x?xf64>
  %o = memref.dim %B, %c0 : memref<?xf64>
  %p = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %T = memref.alloc(%p, %o) : memref<?x?xf64>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %v = affine.load %A[%i, symbol(%m) - %j - 1] : memref<?x?xf64>
    affine.store %v, %T[%i, %j] : memref<?x?xf64>
  }
  affine.for %j = 0 to %o {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %v = affine.load %T[%i, %j] : memref<?x?xf64>
      affine.store %v, %A[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %T : memref<?x?xf64>
  return
}

// Both allocated, with the same number.

// CHECK-LABEL: func @of_a_number(
// CHECK:         memref.copy
func.func @of_a_number(%n: index) {
  %S = memref.alloc(%n) : memref<?xf64>
  %T = memref.alloc(%n) : memref<?xf64>
  %x = arith.constant 1.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %S[%i] : memref<?xf64>
    affine.store %x, %T[%i] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %S[%i] : memref<?xf64>
    affine.store %v, %T[%i] : memref<?xf64>
  }
  return
}

// The same sizes are no matter of course.

// CHECK-LABEL: func @other_sizes(
// CHECK-NOT:     memref.copy
func.func @other_sizes(%A: memref<?xf64>, %B: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %B[%i] : memref<?xf64>
    affine.store %v, %A[-%i + symbol(%n) - 1] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %B[%i] : memref<?xf64>
    affine.store %v, %A[%i] : memref<?xf64>
  }
  return
}

// A number that may be negative is not `max` of it and 0.

// CHECK-LABEL: func @maybe_negative(
// CHECK-NOT:     memref.copy
func.func @maybe_negative(%n: index) {
  %p = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %S = memref.alloc(%p) : memref<?xf64>
  %T = memref.alloc(%n) : memref<?xf64>
  %x = arith.constant 1.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %S[%i] : memref<?xf64>
    affine.store %x, %T[%i] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %S[%i] : memref<?xf64>
    affine.store %v, %T[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func @refused(
func.func @refused(%A: memref<8x8xf64>, %B: memref<8x8xf64>, %C: memref<8x9xf64>) {
  // For a use by kernels; itself no copy, since two are done at once.
  // CHECK:      affine.parallel
  // CHECK-NOT:  memref.copy
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %A[%i, %j] : memref<8x8xf64>
    affine.store %v, %B[%i, %j] : memref<8x8xf64>
    affine.store %v, %C[%i, %j] : memref<8x9xf64>
  }
  // Not all of it.
  affine.parallel (%i, %j) = (0, 0) to (8, 7) {
    %v = affine.load %A[%i, %j] : memref<8x8xf64>
    affine.store %v, %B[%i, %j] : memref<8x8xf64>
  }
  // All of one, a part of the other.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %C[%i, %j] : memref<8x9xf64>
    affine.store %v, %B[%i, %j] : memref<8x8xf64>
  }
  // Another element.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %A[%j, %i] : memref<8x8xf64>
    affine.store %v, %B[%i, %j] : memref<8x8xf64>
  }
  // Another value.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %A[%i, %j] : memref<8x8xf64>
    %w = arith.negf %v : f64
    affine.store %w, %B[%i, %j] : memref<8x8xf64>
  }
  // Under a condition.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
      %v = affine.load %A[%i, %j] : memref<8x8xf64>
      affine.store %v, %B[%i, %j] : memref<8x8xf64>
    }
  }
  // Onto itself.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %A[%i, %j] : memref<8x8xf64>
    affine.store %v, %A[%i, %j] : memref<8x8xf64>
  }
  // In a loop, where it stays a nest.
  affine.for %t = 0 to 10 {
    affine.parallel (%i, %j) = (0, 0) to (8, 8) {
      %v = affine.load %A[%i, %j] : memref<8x8xf64>
      affine.store %v, %B[%i, %j] : memref<8x8xf64>
    }
  }
  // Somebody counts on finding it.
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %v = affine.load %A[%i, %j] : memref<8x8xf64>
    affine.store %v, %B[%i, %j] : memref<8x8xf64>
  } {gpu.note = "mine"}
  // CHECK: return
  return
}

// A part of a larger array is another array.

// CHECK-LABEL: func @views(
// CHECK-NOT:     memref.copy
func.func @views(%A: memref<8xf64>, %B: memref<4xf64>) {
  %part = memref.subview %A[0] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1]>>
  affine.parallel (%i) = (0) to (4) {
    %v = affine.load %part[%i] : memref<4xf64, strided<[1]>>
    %w = arith.negf %v : f64
    affine.store %w, %B[%i] : memref<4xf64>
  }
  affine.parallel (%i) = (0) to (4) {
    %v = affine.load %part[%i] : memref<4xf64, strided<[1]>>
    affine.store %v, %B[%i] : memref<4xf64>
  }
  return
}

// Nothing else on the device uses the arrays: a copy for its own sake.

// CHECK-LABEL: func @alone(
// CHECK-NOT:     memref.copy
func.func @alone(%A: memref<8xf64>, %B: memref<8xf64>) {
  affine.parallel (%i) = (0) to (8) {
    %v = affine.load %A[%i] : memref<8xf64>
    affine.store %v, %B[%i] : memref<8xf64>
  }
  return
}
