// RUN: terrace-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// What is plainly for nothing goes; what may count stays.

// CHECK-LABEL: func @for_nothing
//  CHECK-NEXT:   return
func.func @for_nothing(%a: memref<4xf32>) {
  %d = xfer.alloc() : memref<4xf32, #xfer.device>
  xfer.copy %a to %d : memref<4xf32> to memref<4xf32, #xfer.device>
  xfer.copy %d to %d : memref<4xf32, #xfer.device> to memref<4xf32, #xfer.device>
  xfer.free %d : memref<4xf32, #xfer.device>
  return
}

// CHECK-LABEL: func @read_back
//       CHECK:   xfer.copy %{{.*}} to %[[D:.*]] : memref<4xf32> to
//       CHECK:   xfer.copy %[[D]] to
//       CHECK:   xfer.free %[[D]]
func.func @read_back(%a: memref<4xf32>, %b: memref<4xf32>) {
  %d = xfer.alloc() : memref<4xf32, #xfer.device>
  xfer.copy %a to %d : memref<4xf32> to memref<4xf32, #xfer.device>
  xfer.copy %d to %b : memref<4xf32, #xfer.device> to memref<4xf32>
  xfer.free %d : memref<4xf32, #xfer.device>
  return
}

// CHECK-LABEL: func @used
//       CHECK:   xfer.copy
func.func @used(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>) {
  xfer.copy %a to %d : memref<4xf32> to memref<4xf32, #xfer.device>
  return
}

// CHECK-LABEL: func @size
//  CHECK-SAME:   (%[[N:.*]]: index)
//  CHECK-NEXT:   return %[[N]]
func.func @size(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc(%n) : memref<4x?xf32, #xfer.device>
  %s = memref.dim %d, %c1 : memref<4x?xf32, #xfer.device>
  return %s : index
}
