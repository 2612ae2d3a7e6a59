// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// Buffers on two devices, and a copy in each direction.

func.func @around_a_launch(%n: index, %a: memref<?xf32>) {
  %d = xfer.alloc(%n) : memref<?xf32, #xfer.device>
  %e = xfer.alloc() : memref<4x4xf64, #xfer.device<1>>
  %g = xfer.alloc() : memref<4x4xf64, #xfer.device>
  xfer.copy %a to %d : memref<?xf32> to memref<?xf32, #xfer.device>
  xfer.copy %d to %a : memref<?xf32, #xfer.device> to memref<?xf32>
  xfer.copy %e to %g : memref<4x4xf64, #xfer.device<1>> to memref<4x4xf64, #xfer.device>
  xfer.free %d : memref<?xf32, #xfer.device>
  return
}

// CHECK: func.func @around_a_launch(%{{.*}}: index, %{{.*}}: memref<?xf32>) {
// CHECK: %{{.*}} = xfer.alloc(%{{.*}}) : memref<?xf32, #xfer.device>
// CHECK: %{{.*}} = xfer.alloc() : memref<4x4xf64, #xfer.device<1>>
// CHECK: %{{.*}} = xfer.alloc() : memref<4x4xf64, #xfer.device>
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<?xf32> to memref<?xf32, #xfer.device>
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<?xf32, #xfer.device> to memref<?xf32>
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<4x4xf64, #xfer.device<1>> to memref<4x4xf64, #xfer.device>
// CHECK: xfer.free %{{.*}} : memref<?xf32, #xfer.device>
