// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-optimize,xfer-check)" | FileCheck %s

!a = memref<8xf64>

// What a loop that counts without signs runs for, one that counts by signs may not: the
// kernels may never run, and then nothing is copied back.

// CHECK-LABEL: func.func @without_signs(
// CHECK:         arith.cmpi slt
// CHECK-NEXT:    scf.if
// CHECK:           xfer.copy
// CHECK:           scf.for unsigned
func.func @without_signs(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %t = %c0 to %n step %c1 {
    scf.for %s = %c0 to %n step %c1 {
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

// The low 8 bits of the counter are 0 in the first iteration, and in one of those behind.

// CHECK-LABEL: func.func @low_bits(
// CHECK:         scf.for
// CHECK:           arith.cmpi eq
// CHECK-NEXT:      scf.if
// CHECK:             memref.store
func.func @low_bits(%A: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %z = arith.constant 0 : i8
  %x = arith.constant 1.0 : f64
  scf.for %t = %c0 to %c300 step %c1 {
    %b = arith.index_cast %t : index to i8
    %is_first = arith.cmpi eq, %b, %z : i8
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

// A test that is marked as one for a loop holds something else by now: it stays.

// CHECK-LABEL: func.func @no_loop(
// CHECK:         %[[RUNS:.*]] = arith.cmpi
// CHECK:         scf.if %[[RUNS]] {
// CHECK-NEXT:      memref.store
func.func @no_loop(%A: !a, %B: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.cmpi slt, %c0, %n : index
  %x = arith.constant 1.0 : f64
  scf.if %c {
    memref.store %x, %B[%c0] : !a
  } {xfer.test}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %y = memref.load %A[%c0] : !a
    memref.store %y, %A[%c1] : !a
    gpu.terminator
  }
  return
}
