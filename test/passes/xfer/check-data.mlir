// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: not terrace-opt %s --xfer-check="trust-table=true" --split-input-file 2>&1 | FileCheck %s --check-prefix=TRUST

// What only the run can tell is refused; TRUST takes it to be right.

// TRUST-NOT: cannot be checked
func.func @f(%a: memref<8xf64>) {
  // expected-error @+1 {{'xfer.enter_data' op cannot be checked: only the run can tell whether %a (argument 0) is on the device here}}
  xfer.enter_data copyin(%a : memref<8xf64>)
  // expected-error @+1 {{'xfer.present' op cannot be checked: only the run can tell whether %a (argument 0) is on the device here}}
  %d = xfer.present %a : memref<8xf64> to memref<8xf64, #xfer.device>
  // expected-error @+1 {{'xfer.exit_data' op cannot be checked: only the run can tell whether %a (argument 0) is on the device here}}
  xfer.exit_data copyout(%a : memref<8xf64>)
  return
}

// -----

// TRUST: 'xfer.data' op holds
func.func @f(%a: memref<8xf64>) {
  // expected-error @+1 {{'xfer.data' op holds %a (argument 0) on the device; 'xfer-lower-data' makes of it what can be checked}}
  xfer.data copy(%a as %d : memref<8xf64> to memref<8xf64, #xfer.device>) {
  }
  return
}

// -----

// For a mirror of its own an array of the table is one that the host uses.
// TRUST: 'xfer.update' op reads
func.func @f(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %d = xfer.create %a : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %a to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %d[%c0] : memref<8xf64, #xfer.device>
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.update' op cannot be checked: only the run can tell whether %a (argument 0) is on the device here}}
  xfer.update device(%a : memref<8xf64>) if_present
  xfer.copy %d to %a : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}
