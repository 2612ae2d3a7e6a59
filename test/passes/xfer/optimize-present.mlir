// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-optimize),xfer-check{trust-table=true})" | FileCheck %s

// Data ops of arrays that have mirrors too: where an array is present already, nothing of
// the host's is read, and so the mirror need not be copied back for that.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// CHECK-LABEL: func @held(
// CHECK:         xfer.enter_data copyin(%arg0
// CHECK-NEXT:    %[[D:.*]] = xfer.create
// CHECK-NOT:     xfer.copy %[[D]]
// CHECK:         scf.for
// CHECK-NOT:     xfer.copy %[[D]]
// CHECK:           xfer.enter_data structured copyin(%arg0
// CHECK-NEXT:      xfer.exit_data structured copyin(%arg0
// CHECK-NEXT:      }
// CHECK-NEXT:      xfer.copy %[[D]] to %arg0
// CHECK-NEXT:    }
// CHECK-NEXT:    xfer.exit_data delete(%arg0
func.func @held(%A: !a, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.create %A : !a to !d
  scf.for %t = %c0 to %n step %c1 {
    xfer.copy %A to %d : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %x, %d[%tx] : !d
      gpu.terminator
    }
    xfer.copy %d to %A : !d to !a
    xfer.enter_data structured copyin(%A : !a)
    xfer.exit_data structured copyin(%A : !a)
  }
  xfer.exit_data delete(%A : !a)
  xfer.free %d : !d
  return
}

// What makes a buffer without a copy reads nothing either.

// CHECK-LABEL: func @created(
// CHECK:         gpu.launch
// CHECK:         xfer.enter_data create(%arg0
// CHECK-NEXT:    xfer.exit_data delete(%arg0
// CHECK-NEXT:    xfer.copy
func.func @created(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : !a to !d
  xfer.copy %A to %d : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.copy %d to %A : !d to !a
  xfer.enter_data create(%A : !a)
  xfer.exit_data delete(%A : !a)
  xfer.free %d : !d
  return
}

// Where it may be absent it is read: on one path only it was entered; somebody let go of
// it; in the first iteration nobody holds it; a function that is called may take it away.

// CHECK-LABEL: func @perhaps(
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D:.*]] to %arg0
// CHECK-NEXT:    xfer.enter_data copyin(%arg0
func.func @perhaps(%A: !a, %x: f64, %c: i1) {
  %c1 = arith.constant 1 : index
  scf.if %c {
    xfer.enter_data copyin(%A : !a)
  }
  %d = xfer.create %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.copy %d to %A : !d to !a
  xfer.enter_data copyin(%A : !a)
  xfer.exit_data delete(%A : !a) finalize
  xfer.free %d : !d
  return
}

// CHECK-LABEL: func @let_go(
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D:.*]] to %arg0
// CHECK-NEXT:    xfer.enter_data copyin(%arg0
func.func @let_go(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  xfer.exit_data delete(%A : !a)
  %d = xfer.create %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.copy %d to %A : !d to !a
  xfer.enter_data copyin(%A : !a)
  xfer.exit_data delete(%A : !a)
  xfer.free %d : !d
  return
}

// CHECK-LABEL: func @second_time(
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:           xfer.copy %[[D:.*]] to %arg0
// CHECK-NEXT:      xfer.enter_data copyin(%arg0
func.func @second_time(%A: !a, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : !a to !d
  scf.for %t = %c0 to %c8 step %c1 {
    xfer.copy %A to %d : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %x, %d[%tx] : !d
      gpu.terminator
    }
    xfer.copy %d to %A : !d to !a
    xfer.enter_data copyin(%A : !a)
  }
  xfer.exit_data delete(%A : !a) finalize
  xfer.free %d : !d
  return
}

func.func private @takes(%A: !a) {
  xfer.exit_data delete(%A : !a)
  return
}

// CHECK-LABEL: func @taken(
// CHECK:         call @takes
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D:.*]] to %arg0
// CHECK-NEXT:    xfer.enter_data copyin(%arg0
func.func @taken(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  call @takes(%A) : (!a) -> ()
  %d = xfer.create %A : !a to !d
  xfer.copy %A to %d : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.copy %d to %A : !d to !a
  xfer.enter_data copyin(%A : !a)
  xfer.exit_data delete(%A : !a)
  xfer.free %d : !d
  return
}
