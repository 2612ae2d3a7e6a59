// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics
// RUN: terrace-opt %s --xfer-check="trust-table=true" --split-input-file --verify-diagnostics

// Data ops and arrays with mirrors of their own; check/table-*.mlir have the table itself.

func.func @f(%a: memref<8xf64>) {
  xfer.enter_data copyin(%a : memref<8xf64>)
  %d = xfer.present %a : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.exit_data copyout(%a : memref<8xf64>)
  return
}

// -----

func.func @f(%a: memref<8xf64>) {
  // expected-error @+1 {{'xfer.data' op holds %a (argument 0) on the device; 'xfer-lower-data' makes of it what can be checked}}
  xfer.data copy(%a as %d : memref<8xf64> to memref<8xf64, #xfer.device>) {
  }
  return
}

// -----

// For a mirror of its own an array of the table is one that the host uses.
func.func @f(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %d = xfer.create %a : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %a to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-note @+1 {{written on the device here}}
    memref.store %x, %d[%c0] : memref<8xf64, #xfer.device>
    gpu.terminator
  }
  // expected-error @+1 {{'xfer.update' op reads %a (argument 0) on the host, where it may be stale}}
  xfer.update device(%a : memref<8xf64>) if_present
  xfer.copy %d to %a : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}
