// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: terrace-opt %s --xfer-check="trust-table=true" --split-input-file --verify-diagnostics

// Kernels and copies that may still use a buffer of the table when it is freed or copied.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// Waited for by its token, by the queue, or by all; and done before the copy back on the
// same queue.
func.func @in_order(%A: !a, %B: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    memref.store %x, %d[%i] : !d
    gpu.terminator
  }
  xfer.wait [%k]
  xfer.update host(%A : !a)
  %k2 = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    memref.store %x, %d[%i] : !d
    gpu.terminator
  }
  %on = xfer.wait async [%k2] on queue(%c1)
  %out = xfer.copy async %d to %A on queue(%c1) : !d to !a
  xfer.wait queue(%c1)
  xfer.exit_data copyout(%A : !a)
  return
}

// Of another array; and of one that another region still holds.
func.func @others(%A: !a, %B: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data copyin(%A : !a, %B : !a)
  %d = xfer.present %A : !a to !d
  %e = xfer.present %B : !a to !d
  xfer.enter_data structured copy(%A : !a)
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    memref.store %x, %d[%i] : !d
    gpu.terminator
  }
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %e[%i] : !d
    memref.store %x, %e[%i] : !d
    gpu.terminator
  }
  xfer.update host(%B : !a)
  xfer.exit_data delete(%B : !a)
  xfer.exit_data structured copy(%A : !a)
  xfer.wait [%k]
  xfer.exit_data copyout(%A : !a)
  return
}

// Each reads the buffer; and each other elements of it.
func.func @apart(%A: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %A[4] [4] [1] : !a to memref<4xf64, strided<[1], offset: 4>>
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  %e = xfer.present %part : memref<4xf64, strided<[1], offset: 4>> to memref<4xf64, #xfer.device>
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c1, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%c0] : !d
    gpu.terminator
  }
  xfer.update host(%A : !a)
  xfer.update device(%part : memref<4xf64, strided<[1], offset: 4>>)
  xfer.wait all
  xfer.exit_data delete(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

func.func @freed(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.exit_data' op takes %A (argument 0) off the device, which an 'gpu.launch' may still read there; wait for its token or its queue before}}
  xfer.exit_data delete(%A : !a)
  xfer.wait [%k]
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// On one path nobody waits.
func.func @on_one_path(%A: !a, %x: f64, %c: i1) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data structured copy(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    memref.store %x, %d[%i] : !d
    gpu.terminator
  }
  // expected-note @+1 {{past this 'scf.if', where its condition does not hold}}
  scf.if %c {
    xfer.wait [%k]
  }
  // expected-error @+1 {{'xfer.exit_data' op takes %A (argument 0) off the device, which an 'gpu.launch' may still write there}}
  xfer.exit_data structured copy(%A : !a)
  xfer.wait all
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The wait is for another queue than the copy is on.
func.func @another_queue(%A: !a) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  xfer.enter_data create(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d on queue(%c1) : !a to !d
  xfer.wait queue(%c2)
  // expected-error @+1 {{'xfer.exit_data' op takes %A (argument 0) off the device, which an 'xfer.copy' may still write there}}
  xfer.exit_data delete(%A : !a)
  xfer.wait all
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

func.func @copied(%A: !a, %x: f64) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    memref.store %y, %d[%i] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.update' op copies %A (argument 0) to the host from the device, which an 'gpu.launch' may still write there}}
  xfer.update host(%A : !a)
  xfer.wait [%k]
  // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
  %k2 = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    %y = memref.load %d[%i] : !d
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.update' op copies %A (argument 0) to the device from the host, which an 'gpu.launch' may still read there}}
  xfer.update device(%A : !a)
  xfer.wait all
  xfer.exit_data delete(%A : !a)
  return
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// The function that is called lets go last.
module {
  func.func private @leave(%M: !a) {
    // expected-note @+1 {{this 'xfer.exit_data' of the function}}
    xfer.exit_data delete(%M : !a)
    return
  }
  func.func @calls(%A: !a, %x: f64) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    xfer.enter_data copyin(%A : !a)
    xfer.enter_data copyin(%A : !a)
    %d = xfer.present %A : !a to !d
    // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
    %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
      %y = memref.load %d[%i] : !d
      gpu.terminator
    }
    func.call @leave(%A) : (!a) -> ()
    // expected-error @+1 {{'func.call' op calls a function that takes %A (argument 0) off the device, which an 'gpu.launch' may still read there}}
    func.call @leave(%A) : (!a) -> ()
    xfer.wait [%k]
    return
  }
}

// -----

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// What is started in an earlier iteration may still run in a later one.
func.func @around(%A: !a, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  xfer.enter_data copyin(%A : !a)
  %d = xfer.present %A : !a to !d
  // expected-note @+1 {{around this loop again}}
  scf.for %t = %c0 to %m step %c1 {
    // expected-error @+1 {{'xfer.update' op copies %A (argument 0) to the device from the host, which an 'gpu.launch' may still read there}}
    xfer.update device(%A : !a)
    // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
    %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
      %y = memref.load %d[%i] : !d
      gpu.terminator
    }
  }
  xfer.wait all
  xfer.exit_data delete(%A : !a)
  return
}
