// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert{scheme=kernel},xfer-optimize,xfer-check))" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert{scheme=mixed},xfer-optimize,xfer-check))" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert{scheme=host},xfer-optimize,xfer-check))" | FileCheck %s

// The steps of an LU decomposition: one copy in, one out, none inside.

// CHECK-LABEL: func @lu(
// CHECK-SAME:    %[[A:.*]]: memref<8x8xf64>)
// CHECK:         %[[D:.*]] = xfer.create %[[A]]
// CHECK:         xfer.copy %[[A]] to %[[D]]
// CHECK:         scf.for
// CHECK-NOT:     xfer.copy
// CHECK:           gpu.launch
// CHECK-NOT:     xfer.copy
// CHECK:           gpu.launch
// CHECK:         }
// CHECK:         xfer.copy %[[D]] to %[[A]]
// CHECK-NEXT:    xfer.free %[[D]]
func.func @lu(%A: memref<8x8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%k, %k] : memref<8x8xf64>
      memref.store %x, %A[%bx, %k] : memref<8x8xf64>
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c8, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%bx, %k] : memref<8x8xf64>
      memref.store %x, %A[%bx, %by] : memref<8x8xf64>
      gpu.terminator
    }
  }
  return
}

// A loop that may not run gets a test, so that nothing moves where nothing is done.

// CHECK-LABEL: func @perhaps(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[N:.*]]: index)
// CHECK:         %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK-NEXT:    scf.if %[[SOME]] {
// CHECK-NEXT:      xfer.copy %[[A]] to %[[D:.*]] :
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        gpu.launch
// CHECK:           xfer.copy %[[D]] to %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    xfer.free
func.func @perhaps(%A: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%c0] : memref<8xf64>
      memref.store %x, %A[%c1] : memref<8xf64>
      gpu.terminator
    }
  }
  return
}

// Where only the run knows what is valid, the copies go by flags.

// CHECK-LABEL: func @sometimes(
// CHECK:           scf.if
// CHECK-NEXT:        xfer.ensure %[[A:.*]], %[[D:.*]] on device
// CHECK-NEXT:        gpu.launch
// CHECK:             xfer.mark_written %[[A]], %[[D]] on device
// CHECK:         xfer.ensure %[[A]], %[[D]] on host
func.func @sometimes(%A: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %rest = arith.remui %n, %k : index
    %c = arith.cmpi eq, %rest, %c0 : index
    scf.if %c {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %x = memref.load %A[%k] : memref<8xf64>
        memref.store %x, %A[%c1] : memref<8xf64>
        gpu.terminator
      }
    }
  }
  return
}

// What is only read goes in once, what only kernels use does not move at all.

// CHECK-LABEL: func @own(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>
// CHECK:         xfer.copy %[[A]] to
// CHECK:         gpu.launch
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.copy %[[B]] to
// CHECK-NEXT:    gpu.launch
// CHECK:         xfer.copy %{{.*}} to %[[B]]
// CHECK-NOT:     xfer.copy
// CHECK:         return
func.func @own(%A: memref<8xf64>, %B: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %l = memref.alloc() : memref<8xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %A[%bx] : memref<8xf64>
    memref.store %x, %l[%bx] : memref<8xf64>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %l[%c1] : memref<8xf64>
    memref.store %x, %B[%c0] : memref<8xf64>
    gpu.terminator
  }
  memref.dealloc %l : memref<8xf64>
  return
}

// An array that is written over needs no copy in.

// CHECK-LABEL: func @over(
// CHECK-NOT:     xfer.copy
// CHECK:         gpu.launch
// CHECK:         xfer.copy
func.func @over(%A: memref<1xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.discard %A : memref<1xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %A[%c0] : memref<1xf64>
    gpu.terminator
  }
  return
}

// The host between two kernels: out for it, in again after it.

// CHECK-LABEL: func @between(
// CHECK:         xfer.copy %[[A:.*]] to %[[D:.*]] :
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D]] to %[[A]]
// CHECK:         memref.store
// CHECK:         xfer.copy %[[A]] to %[[D]]
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D]] to %[[A]]
// CHECK:         xfer.free
func.func @between(%A: memref<8xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %A[%c0] : memref<8xf64>
    gpu.terminator
  }
  memref.store %v, %A[%c1] : memref<8xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %A[%c1] : memref<8xf64>
    memref.store %x, %A[%c0] : memref<8xf64>
    gpu.terminator
  }
  return
}
