// RUN: terrace-opt %s -xfer-check -o /dev/null

// The first kernel would store beside the box that has come, but its loop never runs: it
// touches no part of the array, neither the box nor the rest.
func.func @never(%a: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 2.0 : f64
  %m = xfer.create %a : memref<4xf64> to memref<4xf64, #xfer.device>
  %d = memref.memory_space_cast %m : memref<4xf64, #xfer.device> to memref<4xf64>
  %from = memref.subview %a[0] [3] [1] : memref<4xf64> to memref<3xf64, strided<[1]>>
  %to = memref.subview %m[0] [3] [1] : memref<4xf64, #xfer.device> to memref<3xf64, strided<[1]>, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %i = %c3 to %c3 step %c1 {
      memref.store %x, %d[%i] : memref<4xf64>
    }
    gpu.terminator
  }
  xfer.copy %from to %to : memref<3xf64, strided<[1]>> to memref<3xf64, strided<[1]>, #xfer.device>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %d[%c1] : memref<4xf64>
    memref.store %v, %d[%c0] : memref<4xf64>
    gpu.terminator
  }
  xfer.copy %to to %from : memref<3xf64, strided<[1]>, #xfer.device> to memref<3xf64, strided<[1]>>
  return
}
