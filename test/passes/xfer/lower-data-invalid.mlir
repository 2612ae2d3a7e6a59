// RUN: terrace-opt %s --xfer-lower-data --split-input-file --verify-diagnostics

func.func @f(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{'xfer.update' op is inside of 'scf.parallel', where the order in which things happen is not known; data ops stand in the host's sequential code}}
    xfer.update host(%a : memref<8xf64>)
    scf.reduce
  }
  return
}

// -----

func.func @f(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %a[2] [2] [1] : memref<8xf64> to memref<2xf64, strided<[1], offset: 2>>
  xfer.data copy(%part as %d : memref<2xf64, strided<[1], offset: 2>> to memref<2xf64, #xfer.device>) {
    // expected-error @+1 {{'gpu.launch' op uses 'memref<2xf64, strided<[1], offset: 2>>' by the name of the host's array, whose layout its buffer does not have; use the buffer, the argument of the data region}}
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %part[%c0] : memref<2xf64, strided<[1], offset: 2>>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @f(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  xfer.enter_data copyin(%a : memref<8xf64>)
  // expected-error @+1 {{'gpu.launch' op is asynchronous: what it uses may be on the device, which is told around launches that are waited for}}
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %a[%c0] : memref<8xf64>
    gpu.terminator
  }
  return
}
