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

func.func @profile(%f: f64) {
  %p = xfer.profiled
  scf.if %p {
    xfer.note_work %f, %f, %f {a}
  }
  return
}

// CHECK-LABEL: func @profile(
// CHECK-SAME: %[[F:.*]]: f64)
// CHECK: %[[P:.*]] = xfer.profiled
// CHECK: scf.if %[[P]]
// CHECK: xfer.note_work %[[F]], %[[F]], %[[F]] {a}

// Asynchronous copies, queues, waits, pinned memory.

func.func @asynchronous(%n: index, %q: index, %a: memref<?xf32>) {
  %p = xfer.alloc(%n) : memref<?xf32, #xfer.pinned>
  %d = xfer.create %a : memref<?xf32> to memref<?xf32, #xfer.device>
  %0 = xfer.prefetch async %a to %d : memref<?xf32> to memref<?xf32, #xfer.device>
  %1 = xfer.prefetch async [%0] %d to %a on queue(%q) : memref<?xf32, #xfer.device> to memref<?xf32>
  %2 = xfer.copy async [%0, %1] %p to %d on queue(%n) {note} : memref<?xf32, #xfer.pinned> to memref<?xf32, #xfer.device>
  %3 = xfer.copy async %d to %p : memref<?xf32, #xfer.device> to memref<?xf32, #xfer.pinned>
  xfer.copy [%3] %d to %a : memref<?xf32, #xfer.device> to memref<?xf32>
  xfer.wait [%2]
  xfer.wait queue(%n, %q)
  xfer.wait [%2, %3] queue(%q)
  xfer.wait all
  %4 = xfer.wait async
  %5 = xfer.wait async all
  %6 = xfer.wait async [%4] queue(%n) on queue(%q)
  gpu.wait [%6]
  xfer.free %p : memref<?xf32, #xfer.pinned>
  xfer.free %d : memref<?xf32, #xfer.device>
  return
}

// CHECK-LABEL: func.func @asynchronous
// CHECK-SAME: (%[[N:.*]]: index, %[[Q:.*]]: index, %[[A:.*]]: memref<?xf32>)
// CHECK: %[[P:.*]] = xfer.alloc(%[[N]]) : memref<?xf32, #xfer.pinned>
// CHECK: %[[D:.*]] = xfer.create
// CHECK: %[[T0:.*]] = xfer.prefetch async %[[A]] to %[[D]] : memref<?xf32> to memref<?xf32, #xfer.device>
// CHECK: %[[T1:.*]] = xfer.prefetch async [%[[T0]]] %[[D]] to %[[A]] on queue(%[[Q]]) : memref<?xf32, #xfer.device> to memref<?xf32>
// CHECK: %[[T2:.*]] = xfer.copy async [%[[T0]], %[[T1]]] %[[P]] to %[[D]] on queue(%[[N]]) {note} : memref<?xf32, #xfer.pinned> to memref<?xf32, #xfer.device>
// CHECK: %[[T3:.*]] = xfer.copy async %[[D]] to %[[P]] : memref<?xf32, #xfer.device> to memref<?xf32, #xfer.pinned>
// CHECK: xfer.copy [%[[T3]]] %[[D]] to %[[A]] : memref<?xf32, #xfer.device> to memref<?xf32>
// CHECK: xfer.wait [%[[T2]]]
// CHECK: xfer.wait queue(%[[N]], %[[Q]])
// CHECK: xfer.wait [%[[T2]], %[[T3]]] queue(%[[Q]])
// CHECK: xfer.wait all
// CHECK: %[[T4:.*]] = xfer.wait async{{$}}
// CHECK: %{{.*}} = xfer.wait async all
// CHECK: %[[T6:.*]] = xfer.wait async [%[[T4]]] queue(%[[N]]) on queue(%[[Q]])
// CHECK: gpu.wait [%[[T6]]]
// CHECK: xfer.free %[[P]] : memref<?xf32, #xfer.pinned>
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
