// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-mark-dead-on-entry))" | FileCheck %s

// The first element and then each of the others; what is read was written before.

// CHECK-LABEL: func @recursion(
// CHECK-SAME:    %{{[^:]*}}: memref<?xf64> {{{[^}]*}}}, %[[Y:[^:]*]]: memref<?xf64>
// CHECK-NOT:     xfer.discard
// CHECK:         xfer.discard %[[Y]] : memref<?xf64>
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func @recursion(%r: memref<?xf64> {terrace.dims = ["N"]}, %y: memref<?xf64> {terrace.dims = ["N"]}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  %r_0 = affine.load %r[0] : memref<?xf64>
  affine.store %r_0, %y[0] : memref<?xf64>
  affine.for %k = 1 to %n {
    %y_before = affine.load %y[%k - 1] : memref<?xf64>
    %r_k = affine.load %r[%k] : memref<?xf64>
    %s = arith.addf %y_before, %r_k : f64
    affine.store %s, %y[%k] : memref<?xf64>
  }
  return
}

// The triangles of a symmetric matrix and its diagonal.

// CHECK-LABEL: func @symmetric(
// CHECK-SAME:    %[[C:[^:]*]]: memref<8x8xf64>
// CHECK:         xfer.discard %[[C]] : memref<8x8xf64>
func.func @symmetric(%C: memref<8x8xf64>, %a: f64) {
  affine.for %i = 0 to 8 {
    affine.store %a, %C[%i, %i] : memref<8x8xf64>
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to 8 {
      affine.store %a, %C[%i, %j] : memref<8x8xf64>
      %c = affine.load %C[%i, %j] : memref<8x8xf64>
      affine.store %c, %C[%j, %i] : memref<8x8xf64>
    }
  }
  return
}

// One element is left; one is read before it is written; a condition may keep from
// writing; a function that is called may do anything.

// CHECK-LABEL: func @kept(
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func private @elsewhere(memref<8xf64>)
func.func @kept(%left: memref<8xf64>, %read: memref<8xf64>, %perhaps: memref<8xf64>, %called: memref<8xf64>, %a: f64, %b: i1) {
  affine.for %i = 1 to 8 {
    affine.store %a, %left[%i] : memref<8xf64>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %read[7 - %i] : memref<8xf64>
    affine.store %x, %read[%i] : memref<8xf64>
  }
  scf.if %b {
    affine.for %i = 0 to 8 {
      affine.store %a, %perhaps[%i] : memref<8xf64>
    }
  }
  func.call @elsewhere(%called) : (memref<8xf64>) -> ()
  affine.for %i = 0 to 8 {
    affine.store %a, %called[%i] : memref<8xf64>
  }
  return
}

// Sizes that nothing says are equal.

// CHECK-LABEL: func @other_size(
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func @other_size(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %x_i = affine.load %x[%i] : memref<?xf64>
    affine.store %x_i, %y[%i] : memref<?xf64>
  }
  return
}
