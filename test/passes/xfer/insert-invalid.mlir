// RUN: terrace-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(xfer-insert))"

// Both launches are named.

func.func @strided(%a: memref<8xf64, strided<[2]>>, %b: memref<8xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot copy 'memref<8xf64, strided<[2]>>' to the device: its elements are not in a row; pass the memref it is a view of}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %a[%c0] : memref<8xf64, strided<[2]>>
    gpu.terminator
  }
  // expected-error @+1 {{is asynchronous: transfers are placed around launches that are waited for}}
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %b[%c0] : memref<8xf64>
    gpu.terminator
  }
  return
}

// -----

func.func @somewhere(%a: memref<8xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{is inside of 'scf.parallel', where the order in which things happen is not known}}
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %v, %a[%c0] : memref<8xf64>
      gpu.terminator
    }
    scf.reduce
  }
  return
}
