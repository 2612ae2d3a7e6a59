// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: terrace-opt %s --xfer-check="trust-table=true" --split-input-file --verify-diagnostics

// Arrays that the table of present arrays holds: each use sees the last write. Nothing here
// is for the run to tell, so the two say the same.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// A write of the host in a data region that no update tells the device.
func.func @forgotten(%A: !a, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data structured copyin(%A : !a)
  // expected-note @+1 {{around this loop again}}
  scf.for %t = %c0 to %n step %c1 {
    %d = xfer.present %A : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the device, where it may be stale}}
      %y = memref.load %d[%tx] : !d
      gpu.terminator
    }
    // expected-note @+1 {{written on the host here}}
    memref.store %x, %A[%t] : !a
  }
  xfer.exit_data structured copyin(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The same with the update.
func.func @updated(%A: !a, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data structured copy(%A : !a)
  scf.for %t = %c0 to %n step %c1 {
    %d = xfer.present %A : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %y = memref.load %d[%tx] : !d
      gpu.terminator
    }
    memref.store %x, %A[%t] : !a
    xfer.update device(%A : !a)
  }
  xfer.exit_data structured copy(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// What a kernel wrote the host does not read in a region; behind it, it may.
func.func @read_inside(%A: !a, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data structured copy(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-note @+1 {{written on the device here}}
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
  %y = memref.load %A[%c0] : !a
  xfer.exit_data structured copy(%A : !a)
  %z = memref.load %A[%c0] : !a
  return %z : f64
}

// -----

!a = memref<8xf64>

// The host's values are newer than those that are copied over them.
func.func @copied_over(%A: !a, %x: f64) {
  %c0 = arith.constant 0 : index
  xfer.enter_data copyin(%A : !a)
  // expected-note @+1 {{written on the host here}}
  memref.store %x, %A[%c0] : !a
  // expected-error @+1 {{'xfer.exit_data' op copies %A (argument 0) to the host from the device, where it may be stale}}
  xfer.exit_data copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// One way leads past the update.
func.func @one_way(%A: !a, %x: f64, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  // expected-note @+1 {{written on the host here}}
  memref.store %x, %A[%c0] : !a
  // expected-note @+1 {{past this 'scf.if', where its condition does not hold}}
  scf.if %c {
    xfer.update device(%A : !a)
  }
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{reads %A (argument 0) on the device, where it may be stale}}
    %y = memref.load %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data delete(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// Memory that was made without the host's values, read and copied before it is written.
func.func @no_values(%A: !a, %B: !a) {
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{it comes to the device here}}
  xfer.enter_data create(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{reads %A (argument 0) on the device, which was given no values of it, and where nothing was written since}}
    %y = memref.load %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data delete(%A : !a)
  // expected-note @+1 {{it comes to the device here}}
  xfer.enter_data structured copyout(%B : !a)
  // expected-error @+1 {{copies %B (argument 1) to the host from the device, which was given no values of it, and where nothing was written since}}
  xfer.exit_data structured copyout(%B : !a)
  return
}
