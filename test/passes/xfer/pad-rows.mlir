// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-pad-rows),canonicalize,cse)" | FileCheck %s

// Sizes that only the run knows: rows that are no multiple of 32 bytes, 4 numbers, and have 4096 or
// more begin at the next multiple of 16. The kernel runs again and again.

// CHECK-LABEL: func @open(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[C4095:.*]] = arith.constant 4095 : index
// CHECK:         %[[OVER:.*]] = arith.remui %[[N]], %[[C4]]
// CHECK:         %[[ODD:.*]] = arith.cmpi sgt, %[[OVER]], %[[C0]]
// CHECK:         %[[LONG:.*]] = arith.cmpi sgt, %[[N]], %[[C4095]]
// CHECK:         %[[BOTH:.*]] = arith.andi %[[ODD]], %[[LONG]]
// CHECK:         %[[MORE:.*]] = arith.addi %[[N]], %[[C15]]
// CHECK:         %[[LINES:.*]] = arith.divui %[[MORE]], %[[C16]]
// CHECK:         %[[UP:.*]] = arith.muli %[[LINES]], %[[C16]]
// CHECK:         %[[PITCH:.*]] = arith.select %[[BOTH]], %[[UP]], %[[N]]
// CHECK:         %[[P:.*]] = xfer.alloc(%[[M]], %[[PITCH]]) : memref<?x?xf64, #xfer.device>
// CHECK:         %[[D:.*]] = memref.subview %[[P]][0, 0] [%[[M]], %[[N]]] [1, 1] : memref<?x?xf64, #xfer.device> to memref<?x?xf64, strided<[?, 1]>, #xfer.device>
// CHECK:         xfer.copy %[[A]] to %[[D]] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1]>, #xfer.device>
// CHECK:         gpu.launch
// CHECK:           memref.load %[[D]]
// CHECK:         xfer.copy %[[D]] to %[[A]]
// CHECK:         xfer.free %[[P]] : memref<?x?xf64, #xfer.device>
func.func @open(%A: memref<?x?xf64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = xfer.alloc(%m, %n) : memref<?x?xf64, #xfer.device>
  xfer.copy %A to %d : memref<?x?xf64> to memref<?x?xf64, #xfer.device>
  scf.for %s = %c0 to %m step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%gx = %n, %gy = %m, %gz = %c1)
        threads(%t, %ty, %tz) in (%bx = %c1, %bdy = %c1, %bdz = %c1) {
      %v = memref.load %d[%by, %b] : memref<?x?xf64, #xfer.device>
      %w = arith.addf %v, %v : f64
      memref.store %w, %d[%by, %b] : memref<?x?xf64, #xfer.device>
      gpu.terminator
    }
  }
  xfer.copy %d to %A : memref<?x?xf64, #xfer.device> to memref<?x?xf64>
  xfer.free %d : memref<?x?xf64, #xfer.device>
  return
}

// Known sizes, and a kernel that wants them aligned: views of it have the strides that follow, one of its casts too.

// CHECK-LABEL: func @known(
// CHECK:         %[[P:.*]] = xfer.alloc() : memref<7x3x1088xf16, #xfer.device>
// CHECK:         %[[D:.*]] = memref.subview %[[P]][0, 0, 0] [7, 3, 1031] [1, 1, 1] : memref<7x3x1088xf16, #xfer.device> to memref<7x3x1031xf16, strided<[3264, 1088, 1]>, #xfer.device>
// CHECK:         %[[BOX:.*]] = memref.subview %[[D]][2, 0, 0] [4, 3, 1031] [1, 1, 1] : {{.*}} to memref<4x3x1031xf16, strided<[3264, 1088, 1], offset: 6528>, #xfer.device>
// CHECK:         xfer.copy %{{.*}} to %[[BOX]]
// CHECK:         %[[PLANE:.*]] = memref.subview %[[D]][1, 0, 0] [1, 3, 1031] [1, 1, 1] : {{.*}} to memref<3x1031xf16, strided<[1088, 1], offset: 3264>, #xfer.device>
// CHECK:         %[[CAST:.*]] = memref.memory_space_cast %[[PLANE]] : {{.*}} to memref<3x1031xf16, strided<[1088, 1], offset: 3264>>
// CHECK:         gpu.launch
// CHECK:           gpu.rows_aligned %[[CAST]] to 16 wanted : memref<3x1031xf16, strided<[1088, 1], offset: 3264>>
func.func @known(%A: memref<4x3x1031xf16, strided<[3093, 1031, 1], offset: 6186>>, %n: index, %Y: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<7x3x1031xf16, #xfer.device>
  %box = memref.subview %d[2, 0, 0] [4, 3, 1031] [1, 1, 1] : memref<7x3x1031xf16, #xfer.device> to memref<4x3x1031xf16, strided<[3093, 1031, 1], offset: 6186>, #xfer.device>
  xfer.copy %A to %box : memref<4x3x1031xf16, strided<[3093, 1031, 1], offset: 6186>> to memref<4x3x1031xf16, strided<[3093, 1031, 1], offset: 6186>, #xfer.device>
  %plane = memref.subview %d[1, 0, 0] [1, 3, 1031] [1, 1, 1] : memref<7x3x1031xf16, #xfer.device> to memref<3x1031xf16, strided<[1031, 1], offset: 3093>, #xfer.device>
  %cast = memref.memory_space_cast %plane : memref<3x1031xf16, strided<[1031, 1], offset: 3093>, #xfer.device> to memref<3x1031xf16, strided<[1031, 1], offset: 3093>>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%t, %ty, %tz) in (%bx = %c1, %bdy = %c1, %bdz = %c1) {
    %y = gpu.rows_aligned %cast to 16 wanted : memref<3x1031xf16, strided<[1031, 1], offset: 3093>>
    memref.store %y, %Y[%c0] : memref<1xi1>
    gpu.terminator
  }
  xfer.free %d : memref<7x3x1031xf16, #xfer.device>
  return
}

// What the host never copies.

// CHECK-LABEL: func @on_the_device(
// CHECK:         xfer.alloc() : memref<64x304xf64, #xfer.device>
func.func @on_the_device(%n: index, %v: f64) {
  %d = xfer.alloc() : memref<64x301xf64, #xfer.device>
  %e = xfer.alloc() : memref<64x301xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%t, %ty, %tz) in (%bx = %n, %bdy = %n, %bdz = %n) {
    memref.store %v, %d[%by, %b] : memref<64x301xf64, #xfer.device>
    gpu.terminator
  }
  xfer.copy %d to %e : memref<64x301xf64, #xfer.device> to memref<64x301xf64, #xfer.device>
  xfer.free %d : memref<64x301xf64, #xfer.device>
  xfer.free %e : memref<64x301xf64, #xfer.device>
  return
}
