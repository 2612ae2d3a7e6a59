// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-optimize)" | FileCheck %s

// How often a function that calls itself has run when it is called is not known: its copies
// are in it, and what it says of its arguments stays.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// CHECK-LABEL: func.func @caller(
// CHECK:         xfer.create
// CHECK-NEXT:    call @step
// CHECK-NEXT:    xfer.free
func.func @caller(%A: !a, %n: index) {
  %d = xfer.create %A : !a to !d
  func.call @step(%A, %d, %n) : (!a, !d, index) -> ()
  xfer.free %d : !d
  return
}

// CHECK:       func.func private @step({{.*}} {xfer.mirror = {device = "unknown", host = "valid", needs = "host", of = 0 : index}}
// CHECK:         xfer.copy
// CHECK:         gpu.launch
// CHECK:         xfer.copy
// CHECK-NOT:     xfer.mark_written
// CHECK:         call @step
func.func private @step(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.copy %A to %d : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %y = memref.load %d[%c0] : !d
    memref.store %y, %d[%c1] : !d
    gpu.terminator
  }
  xfer.copy %d to %A : !d to !a
  %m = arith.subi %n, %c1 : index
  %go = arith.cmpi sgt, %m, %c0 : index
  scf.if %go {
    func.call @step(%A, %d, %m) : (!a, !d, index) -> ()
  }
  return
}
