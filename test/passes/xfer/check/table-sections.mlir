// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics

// Parts of arrays, by the numbers of their elements.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>
!low = memref<4xf64, strided<[1]>>
!high = memref<4xf64, strided<[1], offset: 4>>

// A kernel wrote all, of which the host has half.
func.func @half(%A: !a, %x: f64) -> f64 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %low = memref.subview %A[0] [4] [1] : !a to !low
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-note @+1 {{written on the device here}}
    memref.store %x, %d[%tx] : !d
    gpu.terminator
  }
  xfer.update host(%low : !low)
  %y = memref.load %A[%c1] : !a
  // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
  %z = memref.load %A[%c5] : !a
  xfer.exit_data copyout(%A : !a)
  return %y : f64
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>
!low = memref<4xf64, strided<[1]>>
!high = memref<4xf64, strided<[1], offset: 4>>

// The host wrote both halves and updated one: the other is older on the device.
func.func @copied_out(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %low = memref.subview %A[0] [4] [1] : !a to !low
  %high = memref.subview %A[4] [4] [1] : !a to !high
  xfer.enter_data copyin(%A : !a)
  memref.store %x, %A[%c1] : !a
  // expected-note @+1 {{written on the host here}}
  memref.store %x, %A[%c5] : !a
  xfer.update device(%low : !low)
  // expected-error @+1 {{'xfer.exit_data' op copies %A (argument 0) to the host from the device, where it may be stale}}
  xfer.exit_data copyout(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>
!low = memref<4xf64, strided<[1]>>
!high = memref<4xf64, strided<[1], offset: 4>>

// Half of the array is on the device, and only that half leaves.
func.func @part(%A: !a, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %high = memref.subview %A[4] [4] [1] : !a to !high
  xfer.enter_data copyin(%high : !high)
  %d = xfer.present %high : !high to memref<4xf64, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%tx] : memref<4xf64, #xfer.device>
    gpu.terminator
  }
  // The other half was not touched.
  %w = memref.load %A[%c0] : !a
  memref.store %x, %A[%c0] : !a
  xfer.exit_data copyout(%high : !high)
  %y = memref.load %A[%c5] : !a
  // expected-note @+1 {{it comes to the device here}}
  xfer.enter_data copyin(%high : !high)
  // expected-error @+1 {{'xfer.enter_data' op is about elements of %A (argument 0) of which only some are on the device; use the same section there and here, or one that contains this one}}
  xfer.enter_data copyin(%A : !a)
  return %y : f64
}

// -----

// Rows of a matrix.
func.func @rows(%A: memref<4x8xf64>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %row = memref.subview %A[3, 0] [1, 8] [1, 1] : memref<4x8xf64> to memref<8xf64, strided<[1], offset: 24>>
  xfer.enter_data copyin(%A : memref<4x8xf64>)
  %d = xfer.present %A : memref<4x8xf64> to memref<4x8xf64, #xfer.device>
  %dr = memref.subview %d[3, 0] [1, 8] [1, 1] : memref<4x8xf64, #xfer.device> to memref<8xf64, strided<[1], offset: 24>, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %dr[%tx] : memref<8xf64, strided<[1], offset: 24>, #xfer.device>
    gpu.terminator
  }
  %y = memref.load %A[%c1, %c0] : memref<4x8xf64>
  xfer.update host(%row : memref<8xf64, strided<[1], offset: 24>>)
  %z = memref.load %A[%c3, %c0] : memref<4x8xf64>
  xfer.exit_data delete(%A : memref<4x8xf64>)
  return %z : f64
}
