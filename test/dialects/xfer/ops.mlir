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

// An array and its mirror.

func.func @mirror(%a: memref<?x8xf32>) {
  %d = xfer.create %a : memref<?x8xf32> to memref<?x8xf32, #xfer.device>
  xfer.ensure %a, %d on device : memref<?x8xf32>, memref<?x8xf32, #xfer.device>
  xfer.mark_written %a, %d on host : memref<?x8xf32>, memref<?x8xf32, #xfer.device>
  xfer.discard %a : memref<?x8xf32>
  xfer.assert_valid %a, %d on both : memref<?x8xf32>, memref<?x8xf32, #xfer.device>
  xfer.free %d : memref<?x8xf32, #xfer.device>
  return
}

// CHECK-LABEL: func.func @mirror
// CHECK-SAME: (%[[A:.*]]: memref<?x8xf32>)
// CHECK: %[[D:.*]] = xfer.create %[[A]] : memref<?x8xf32> to memref<?x8xf32, #xfer.device>
// CHECK: xfer.ensure %[[A]], %[[D]] on device : memref<?x8xf32>, memref<?x8xf32, #xfer.device>
// CHECK: xfer.mark_written %[[A]], %[[D]] on host : memref<?x8xf32>, memref<?x8xf32, #xfer.device>
// CHECK: xfer.discard %[[A]] : memref<?x8xf32>
// CHECK: xfer.assert_valid %[[A]], %[[D]] on both : memref<?x8xf32>, memref<?x8xf32, #xfer.device>

// Boxes of arrays, by their strides.

func.func @boxes(%a: memref<8x6xf32>, %d: memref<8x6xf32, #xfer.device>, %i: index) {
  %x = memref.subview %a[%i, 1] [2, 4] [1, 1] : memref<8x6xf32> to memref<2x4xf32, strided<[6, 1], offset: ?>>
  %y = memref.subview %d[%i, 1] [2, 4] [1, 1] : memref<8x6xf32, #xfer.device> to memref<2x4xf32, strided<[6, 1], offset: ?>, #xfer.device>
  xfer.copy %x to %y : memref<2x4xf32, strided<[6, 1], offset: ?>> to memref<2x4xf32, strided<[6, 1], offset: ?>, #xfer.device>
  xfer.copy %y to %x : memref<2x4xf32, strided<[6, 1], offset: ?>, #xfer.device> to memref<2x4xf32, strided<[6, 1], offset: ?>>
  xfer.discard %x : memref<2x4xf32, strided<[6, 1], offset: ?>>
  return
}

// CHECK: func.func @boxes
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<2x4xf32, strided<[6, 1], offset: ?>> to memref<2x4xf32, strided<[6, 1], offset: ?>, #xfer.device>
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<2x4xf32, strided<[6, 1], offset: ?>, #xfer.device> to memref<2x4xf32, strided<[6, 1], offset: ?>>
// CHECK: xfer.discard %{{.*}} : memref<2x4xf32, strided<[6, 1], offset: ?>>
