// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-mark-overwritten))" | FileCheck %s

// Set before it is added to.

// CHECK-LABEL: func @product(
// CHECK-SAME:    %{{.*}}: memref<4x8xf64>, %{{.*}}: memref<8xf64>, %[[Y:.*]]: memref<4xf64>)
// CHECK-NOT:     xfer.discard
// CHECK:         xfer.discard %[[Y]] : memref<4xf64>
// CHECK-NEXT:    affine.for
// CHECK-NOT:     xfer.discard
func.func @product(%A: memref<4x8xf64>, %x: memref<8xf64>, %y: memref<4xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 4 {
    affine.store %zero, %y[%i] : memref<4xf64>
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<4x8xf64>
      %b = affine.load %x[%j] : memref<8xf64>
      %c = arith.mulf %a, %b : f64
      %d = affine.load %y[%i] : memref<4xf64>
      %e = arith.addf %c, %d : f64
      affine.store %e, %y[%i] : memref<4xf64>
    }
  }
  return
}

// Transposed, in parallel loops.

// CHECK-LABEL: func @transposed(
// CHECK:         xfer.discard %{{.*}} : memref<8x4xf64>
// CHECK-NEXT:    affine.parallel
func.func @transposed(%A: memref<4x8xf64>, %B: memref<8x4xf64>) {
  affine.parallel (%i, %j) = (0, 0) to (4, 8) {
    %a = affine.load %A[%i, %j] : memref<4x8xf64>
    affine.store %a, %B[%j, %i] : memref<8x4xf64>
  }
  return
}

// Sizes that only the run knows: of the array itself, and by the names of dimensions.

// CHECK-LABEL: func @sizes(
// CHECK-SAME:    %{{.*}}: memref<?x?xf64> {{{.*}}}, %[[Y:.*]]: memref<?xf64> {{{.*}}}, %[[Z:[^:]*]]: memref<?xf64>, %{{.*}}: f64)
// CHECK:         xfer.discard %[[Y]] : memref<?xf64>
// CHECK-NEXT:    affine.for
// CHECK:         xfer.discard %[[Z]] : memref<?xf64>
// CHECK-NEXT:    affine.for
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func @sizes(
    %A: memref<?x?xf64> {terrace.dims = ["M", "N"]},
    %y: memref<?xf64> {terrace.dims = ["N"]},
    %z: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf64>
  %n = memref.dim %A, %c1 : memref<?x?xf64>
  %k = memref.dim %z, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %v, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %k {
    affine.store %v, %z[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.store %v, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %v, %z[%i] : memref<?xf64>
  }
  return
}

// Not all of it, under a condition, not surely, the same counter twice, in steps, read
// before, and read through a view: nothing is said.

// CHECK-LABEL: func @no(
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func @no(%A: memref<4x4xf64>, %y: memref<4xf64>, %v: f64, %n: index) {
  affine.for %i = 1 to 4 {
    affine.store %v, %y[%i] : memref<4xf64>
  }
  affine.for %i = 0 to 4 {
    affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
      affine.store %v, %y[%i] : memref<4xf64>
    }
  }
  affine.for %t = 0 to %n {
    affine.store %v, %y[0] : memref<4xf64>
  }
  affine.for %i = 0 to 4 {
    affine.store %v, %A[%i, %i] : memref<4x4xf64>
  }
  affine.for %i = 0 to 4 step 2 {
    affine.store %v, %y[%i] : memref<4xf64>
  }
  affine.for %i = 0 to 4 {
    %a = affine.load %y[3] : memref<4xf64>
    affine.store %a, %y[%i] : memref<4xf64>
  }
  affine.for %i = 0 to 4 {
    affine.store %v, %y[%i] : memref<4xf64>
    %a = affine.load %y[3 - %i] : memref<4xf64>
    affine.store %a, %A[0, %i] : memref<4x4xf64>
  }
  %c = memref.cast %y : memref<4xf64> to memref<?xf64>
  affine.for %i = 0 to 4 {
    %a = affine.load %c[3] : memref<?xf64>
    affine.store %a, %y[%i] : memref<4xf64>
  }
  return
}

// Inside a loop that may not run: the store overwrites the array whenever the loop over it
// runs, and only then.

// CHECK-LABEL: func @may_not_run(
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      xfer.discard
// CHECK-NEXT:      affine.for
// CHECK:         affine.for %{{.*}} = 0 to 0 {
// CHECK-NEXT:      xfer.discard
// CHECK-NEXT:      affine.for
// CHECK-NOT:     xfer.discard
// CHECK:         return
func.func @may_not_run(%y: memref<4xf64>, %v: f64, %n: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 0 to 4 {
      affine.store %v, %y[%i] : memref<4xf64>
    }
  }
  affine.for %t = 0 to 0 {
    affine.for %i = 0 to 4 {
      affine.store %v, %y[%i] : memref<4xf64>
    }
  }
  affine.parallel (%t, %i) = (0, 0) to (symbol(%n), 4) {
    affine.store %v, %y[%i] : memref<4xf64>
  }
  affine.parallel (%t, %i) = (0, 0) to (0, 4) {
    affine.store %v, %y[%i] : memref<4xf64>
  }
  return
}

// Inside one that surely runs.

// CHECK-LABEL: func @runs(
// CHECK-NEXT:    xfer.discard
// CHECK-NEXT:    affine.for %{{.*}} = 0 to 1 {
// CHECK-NEXT:      xfer.discard
// CHECK-NEXT:      affine.for
// CHECK:         xfer.discard
// CHECK-NEXT:    affine.parallel
func.func @runs(%y: memref<4xf64>, %v: f64) {
  affine.for %t = 0 to 1 {
    affine.for %i = 0 to 4 {
      affine.store %v, %y[%i] : memref<4xf64>
    }
  }
  affine.parallel (%t, %i) = (0, 0) to (1, 4) {
    affine.store %v, %y[%i] : memref<4xf64>
  }
  return
}

// The counter of a loop around the nest is one number for all of it.

// CHECK-LABEL: func @one_element(
// CHECK-NOT:     xfer.discard
func.func private @host()
func.func @one_element(%y: memref<64xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %k = 0 to 64 {
    func.call @host() : () -> ()
    affine.for %i = 0 to 64 {
      affine.store %z, %y[%k] : memref<64xf64>
    }
  }
  return
}
