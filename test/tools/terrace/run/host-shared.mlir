// RUN: not terrace run %s --target emulator 2>&1 | FileCheck %s

// Memory that host and device share: the device has none that the host could address.

// CHECK: host-shared.mlir:12:8: error: 'gpu.alloc' op allocates memory that host and device share, which the runtime has none of; allocate on each side and copy
// CHECK-NEXT: %m = gpu.alloc host_shared () : memref<4xf32>

func.func @f() -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 3.0 : f32
  %m = gpu.alloc host_shared () : memref<4xf32>
  memref.store %v, %m[%c0] : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %m[%c0] : memref<4xf32>
    memref.store %x, %m[%c1] : memref<4xf32>
    gpu.terminator
  }
  %r = memref.load %m[%c0] : memref<4xf32>
  gpu.dealloc %m : memref<4xf32>
  return %r : f32
}
