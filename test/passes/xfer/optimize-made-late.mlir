// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-optimize,xfer-check)" | FileCheck %s

// Mirrors that the author makes and ends in the middle of a function: what the host does
// before and behind is nothing to them, so that nothing tells their flags of it.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// CHECK-LABEL: func @made_late(
// CHECK-NOT:     mark_written
// CHECK:         memref.store
// CHECK-NEXT:    xfer.create
// CHECK:         scf.if
// CHECK-NEXT:      xfer.copy %arg0 to %mirror
// CHECK-NEXT:      gpu.launch
// CHECK:         } else {
// CHECK-NEXT:      memref.store
// CHECK-NEXT:      xfer.copy %arg0 to %mirror
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.launch
// CHECK:         xfer.free
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    return
func.func @made_late(%A: !a, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f64
  memref.store %f, %A[%c0] : !a
  %d = xfer.create %A : !a to !d
  %v = memref.memory_space_cast %d : !d to !a
  scf.if %c {
    xfer.copy %A to %d : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %f, %v[%c1] : !a
      gpu.terminator
    }
    xfer.copy %d to %A : !d to !a
  } else {
    memref.store %f, %A[%c1] : !a
  }
  xfer.copy %A to %d : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %v[%c0] : !a
    gpu.terminator
  }
  xfer.free %d : !d
  memref.store %f, %A[%c0] : !a
  return
}

// The flags of a mirror of each iteration.
// CHECK-LABEL: func @in_each_iteration(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK-NEXT:      xfer.create
// CHECK:           xfer.ensure %arg0, %mirror on device
// CHECK:           xfer.ensure %arg0, %mirror on host
// CHECK:           xfer.free
// CHECK-NEXT:      }
func.func @in_each_iteration(%A: !a, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    memref.store %f, %A[%c0] : !a
    %d = xfer.create %A : !a to !d
    %v = memref.memory_space_cast %d : !d to !a
    scf.for %j = %c1 to %n step %c1 {
      xfer.copy %A to %d : !a to !d
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        memref.store %f, %v[%c1] : !a
        gpu.terminator
      }
      xfer.copy %d to %A : !d to !a
      scf.if %c {
        memref.store %f, %A[%c1] : !a
      }
    }
    xfer.free %d : !d
  }
  return
}
