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
