// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: terrace-opt %s --xfer-check="trust-table=true" --split-input-file

// What only the run can tell is refused, or taken to be right.

!a = memref<8xf64>

// A function that is not known may enter and leave data.
func.func private @unknown(%A: memref<8xf64>)

func.func @calls(%A: !a) {
  xfer.enter_data copyin(%A : !a)
  // expected-error @+1 {{'func.call' op cannot be checked: only the run can tell what it does to %A (argument 0) and the table of present arrays}}
  func.call @unknown(%A) : (!a) -> ()
  xfer.exit_data copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>

// A part whose place is no number.
func.func @somewhere(%A: !a, %x: f64, %i: index) {
  %c0 = arith.constant 0 : index
  %part = memref.subview %A[%i] [1] [1] : !a to memref<1xf64, strided<[1], offset: ?>>
  xfer.enter_data copyin(%A : !a)
  xfer.update device(%part : memref<1xf64, strided<[1], offset: ?>>)
  memref.store %x, %A[%i] : !a
  // expected-error @+1 {{'xfer.update' op cannot be checked: only the run can tell which elements of %A (argument 0) it is about}}
  xfer.update device(%part : memref<1xf64, strided<[1], offset: ?>>)
  xfer.exit_data copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// A kernel that may write all of what came without values, or only some.
func.func @filled(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{it comes to the device here}}
  xfer.enter_data structured copyout(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.exit_data' op copies %A (argument 0) to the host from the device, which was given no values of it, and where only some may have been written}}
  xfer.exit_data structured copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// A discard says that all is written.
func.func @discarded(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data structured copyout(%A : !a)
  xfer.discard %A : !a
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data structured copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The rest of what a kernel writes may be older there than on the host.
func.func @rest(%A: !a, %x: f64, %i: index) {
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  // expected-note @+1 {{written on the host here}}
  memref.store %x, %A[%i] : !a
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{'memref.store' op writes %A (argument 0) on the device, where the rest of it may be stale; copy it to the device before, or discard it where all of it is written}}
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.exit_data copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// What is still there, the next call may take out.
func.func @begin(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-note @+1 {{written on the device here}}
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'func.return' op returns while %A (argument 0), which the caller sees, may be stale on the host}}
  return
}
