// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-optimize,xfer-check)" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-optimize{peel=false},xfer-check)" | FileCheck %s --check-prefix=WHOLE

// Loops taken apart where a copy leaves them by that.

!a = memref<8xf64>

// The host writes in the first iteration only.

// CHECK-LABEL: func @first(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>,
// CHECK:         %[[D:.*]] = xfer.create %[[A]]
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[A]]
// CHECK:           xfer.copy %[[A]] to %[[D]]
// CHECK:           gpu.launch
// CHECK:           arith.addi
// CHECK:           scf.for
// CHECK-NOT:         xfer
// CHECK:             gpu.launch
// CHECK-NOT:         xfer
// CHECK:           xfer.copy %[[D]] to %[[A]]
// CHECK-NOT:     xfer.ensure
// CHECK:         return

// WHOLE-LABEL: func @first(
// WHOLE:         scf.for
// WHOLE:           xfer.ensure
// WHOLE:           gpu.launch
func.func @first(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      memref.store %x, %A[%c0] : !a
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %y = memref.load %A[%c0] : !a
      memref.store %y, %A[%c1] : !a
      gpu.terminator
    }
  }
  return
}

// And in the last, after what carried a value through all of them.

// CHECK-LABEL: func @last(
// CHECK:         xfer.copy
// CHECK:         %[[S:.*]] = scf.for
// CHECK-NOT:       xfer
// CHECK:           scf.yield
// CHECK:         gpu.launch
// CHECK:         xfer.copy
// CHECK:         memref.load
// CHECK-NOT:   xfer.ensure
// CHECK:         return
// WHOLE-LABEL: func @last(
// WHOLE:         scf.for
// WHOLE:           xfer.ensure
func.func @last(%A: !a) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %x = arith.constant 1.0 : f64
  %r = scf.for %t = %c0 to %c10 step %c1 iter_args(%s = %x) -> f64 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %y = memref.load %A[%c0] : !a
      memref.store %y, %A[%c1] : !a
      gpu.terminator
    }
    %before = arith.cmpi slt, %t, %c9 : index
    %u = scf.if %before -> f64 {
      scf.yield %s : f64
    } else {
      %y = memref.load %A[%c1] : !a
      memref.store %s, %A[%c0] : !a
      scf.yield %y : f64
    }
    %v = arith.addf %s, %u : f64
    scf.yield %v : f64
  }
  return %r : f64
}

// The last by the size of the loop.

// CHECK-LABEL: func @before_the_end(
// CHECK:         scf.for
// CHECK-NOT:       xfer
// CHECK:           gpu.launch
// CHECK-NOT:   xfer.ensure
// CHECK:         return
// WHOLE-LABEL: func @before_the_end(
// WHOLE:         scf.for
// WHOLE:           xfer.ensure
func.func @before_the_end(%A: !a, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %x = arith.constant 1.0 : f64
  %upper = arith.index_cast %n : i32 to index
  %end = arith.subi %n, %one : i32
  scf.for %t = %c0 to %upper step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %y = memref.load %A[%c0] : !a
      memref.store %y, %A[%c1] : !a
      gpu.terminator
    }
    %t32 = arith.index_cast %t : index to i32
    %is_last = arith.cmpi eq, %t32, %end : i32
    scf.if %is_last {
      memref.store %x, %A[%c0] : !a
    }
  }
  return
}

// A loop inside that may not run: whether it does is asked in front of both.

// CHECK-LABEL: func @nest(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>,
// CHECK:         %[[D:.*]] = xfer.create %[[A]]
// CHECK:         scf.if
// CHECK:           xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for
// CHECK:               gpu.launch
// CHECK:           xfer.copy %[[D]] to %[[A]]
// CHECK-NOT:     xfer.ensure
// CHECK:         return
// WHOLE-LABEL: func @nest(
// WHOLE:         scf.for
// WHOLE:           xfer.ensure
// WHOLE:           scf.for
func.func @nest(%A: !a, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %y = memref.load %A[%c0] : !a
        memref.store %y, %A[%c1] : !a
        gpu.terminator
      }
    }
  }
  return
}

// Nothing is gained: every iteration reads on the host. The loop stays as it is.

// CHECK-LABEL: func @each(
// CHECK:         scf.if
// CHECK-COUNT-1: gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @each(%A: !a, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %y = memref.load %A[%c0] : !a
    memref.store %y, %A[%c1] : !a
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      memref.store %x, %A[%c0] : !a
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %z = memref.load %A[%c0] : !a
      memref.store %z, %A[%c1] : !a
      gpu.terminator
    }
  }
  return
}
