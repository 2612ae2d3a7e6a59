// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-lower-mirrors))" | FileCheck %s

// Without an xfer.ensure there is nothing to remember.

// CHECK-LABEL: func @plain(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf64>)
// CHECK:         %[[N:.*]] = memref.dim %[[A]], %{{.*}}
// CHECK-NEXT:    %[[D:.*]] = xfer.alloc(%[[N]]) : memref<?x8xf64, #xfer.device>
// CHECK-NEXT:    xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:    xfer.free %[[D]]
// CHECK-NEXT:    return
func.func @plain(%A: memref<?x8xf64>) {
  %d = xfer.create %A : memref<?x8xf64> to memref<?x8xf64, #xfer.device>
  xfer.discard %A : memref<?x8xf64>
  xfer.copy %A to %d : memref<?x8xf64> to memref<?x8xf64, #xfer.device>
  xfer.mark_written %A, %d on device : memref<?x8xf64>, memref<?x8xf64, #xfer.device>
  xfer.assert_valid %A, %d on device : memref<?x8xf64>, memref<?x8xf64, #xfer.device>
  xfer.free %d : memref<?x8xf64, #xfer.device>
  return
}

// CHECK-LABEL: func @flags(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>)
// CHECK-DAG:     %[[HOST:.*]] = memref.alloca() : memref<i1>
// CHECK-DAG:     %[[DEVICE:.*]] = memref.alloca() : memref<i1>
// CHECK:         %[[D:.*]] = xfer.alloc()
// CHECK:         memref.store %{{.*}}, %{{.*}}[] : memref<i1>
// CHECK:         memref.store %{{.*}}, %{{.*}}[] : memref<i1>
// CHECK:         %[[VALID:.*]] = memref.load %{{.*}}[] : memref<i1>
// CHECK:         %[[STALE:.*]] = arith.xori %[[VALID]], %{{.*}}
// CHECK-NEXT:    scf.if %[[STALE]] {
// CHECK-NEXT:      xfer.copy %[[A]] to %[[D]]
// CHECK:           memref.store
// CHECK:         }
// CHECK-NOT:     xfer.mark_written
// CHECK:         memref.store
// CHECK:         memref.store
func.func @flags(%A: memref<8xf64>) {
  %d = xfer.create %A : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.ensure %A, %d on device : memref<8xf64>, memref<8xf64, #xfer.device>
  xfer.mark_written %A, %d on host : memref<8xf64>, memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A prefetch has flags too; where they say valid its token is that of what it comes after.

func.func @ahead(%a: memref<4xf32>, %t: !gpu.async.token, %q: index) {
  %d = xfer.create %a : memref<4xf32> to memref<4xf32, #xfer.device>
  %p = xfer.prefetch async [%t] %a to %d on queue(%q) : memref<4xf32> to memref<4xf32, #xfer.device>
  xfer.wait [%p]
  xfer.free %d : memref<4xf32, #xfer.device>
  return
}

// CHECK-LABEL: func.func @ahead
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[T:.*]]: !gpu.async.token, %[[Q:.*]]: index)
// CHECK: %[[D:.*]] = xfer.alloc
// CHECK: %[[VALID:.*]] = memref.load
// CHECK: %[[P:.*]] = scf.if %[[VALID]] -> (!gpu.async.token) {
// CHECK: %[[W:.*]] = xfer.wait async [%[[T]]] queue(%[[Q]])
// CHECK: scf.yield %[[W]]
// CHECK: } else {
// CHECK: %[[C:.*]] = xfer.copy async [%[[T]]] %[[A]] to %[[D]] on queue(%[[Q]])
// CHECK: memref.store
// CHECK: scf.yield %[[C]]
// CHECK: xfer.wait [%[[P]]]
