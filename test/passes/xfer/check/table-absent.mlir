// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: terrace-opt %s --xfer-check="trust-table=true" --split-input-file --verify-diagnostics

// Arrays that left the device, and counters that hold them there.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

func.func @deleted(%A: !a) {
  xfer.enter_data copyin(%A : !a)
  // expected-note @+1 {{it leaves the device here}}
  xfer.exit_data delete(%A : !a)
  // expected-error @+1 {{'xfer.present' op needs %A (argument 0) to be on the device, where it may not be}}
  %d = xfer.present %A : !a to !d
  return
}

// -----

!a = memref<8xf64>

func.func @no_update(%A: !a) {
  xfer.enter_data copyin(%A : !a)
  // expected-note @+1 {{it leaves the device here}}
  xfer.exit_data copyout(%A : !a)
  xfer.update host(%A : !a) if_present
  // expected-error @+1 {{'xfer.update' op needs %A (argument 0) to be on the device, where it may not be; with 'if_present' it is left alone then}}
  xfer.update host(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The buffer of an array that left and came again is another one.
func.func @another_buffer(%A: !a) {
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{it leaves the device here}}
  xfer.exit_data delete(%A : !a)
  xfer.enter_data copyin(%A : !a)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{uses a buffer of %A (argument 0) that may have left the device}}
    %y = memref.load %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data delete(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// Entered twice and left once: nothing is copied out, and the array is still there.
func.func @counted(%A: !a, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  xfer.enter_data structured copy(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-note @+1 {{written on the device here}}
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data structured copy(%A : !a)
  // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
  %y = memref.load %A[%c0] : !a
  xfer.exit_data copyout(%A : !a)
  return %y : f64
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The last exit copies out, whichever it is; `finalize` takes all back.
func.func @last(%A: !a, %x: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  scf.for %t = %c0 to %n step %c1 {
    xfer.enter_data create(%A : !a)
  }
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data copyout(%A : !a) finalize
  %y = memref.load %A[%c0] : !a
  return %y : f64
}

// -----

!a = memref<8xf64>

// Absent on one way only; an answer of the table tells the two ways apart.
func.func @asked(%c: i1) {
  %A = memref.alloc() : !a
  scf.if %c {
    xfer.enter_data copyin(%A : !a)
  }
  %is = xfer.is_present %A : !a
  scf.if %is {
    xfer.update device(%A : !a)
  }
  // expected-error @+1 {{'xfer.update' op needs %A to be on the device, where it may not be}}
  xfer.update device(%A : !a)
  return
}

// -----

!a = memref<8xf64>

func.func @freed() {
  %A = memref.alloc() : !a
  // expected-note @+1 {{it comes to the device here}}
  xfer.enter_data create(%A : !a)
  // expected-note @+2 {{the array is freed here}}
  // expected-error @+1 {{'memref.dealloc' op frees %A, which may still be on the device}}
  memref.dealloc %A : !a
  // expected-error @+1 {{'xfer.exit_data' op uses %A, which may have been freed}}
  xfer.exit_data delete(%A : !a)
  return
}
