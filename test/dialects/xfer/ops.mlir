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
