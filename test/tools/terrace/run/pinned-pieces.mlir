// RUN: terrace run %s --target gpu --emit mlir | FileCheck %s

// Large copies of pinned memory go in pieces beside the kernel, by themselves.

// CHECK-LABEL:   func.func @main(
// CHECK:         xfer.copy async %{{.*}} : memref<512x4096xf64, strided<[4096, 1]>, #xfer.pinned> to
// CHECK-COUNT-8: gpu.launch_func async
// CHECK-NOT:     gpu.launch_func
// CHECK:         xfer.copy async {{.*}}, #xfer.device> to memref<512x4096xf64
// CHECK:         return
func.func @main(%x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4096 : index
  %A = xfer.alloc() : memref<4096x4096xf64, #xfer.pinned>
  // In order, so it is the host's.
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %x) -> (f64) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%v = %outer) -> (f64) {
      memref.store %v, %A[%i, %j] : memref<4096x4096xf64, #xfer.pinned>
      %next = arith.mulf %v, %x : f64
      scf.yield %next : f64
    }
    scf.yield %row : f64
  }
  affine.parallel (%i, %j) = (0, 0) to (4096, 4096) {
    %v = affine.load %A[%i, %j] : memref<4096x4096xf64, #xfer.pinned>
    %s = arith.addf %v, %x : f64
    affine.store %s, %A[%i, %j] : memref<4096x4096xf64, #xfer.pinned>
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %last) -> (f64) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%so = %outer) -> (f64) {
      %v = memref.load %A[%i, %j] : memref<4096x4096xf64, #xfer.pinned>
      %next = arith.addf %v, %so : f64
      scf.yield %next : f64
    }
    scf.yield %row : f64
  }
  xfer.free %A : memref<4096x4096xf64, #xfer.pinned>
  return %sum : f64
}
