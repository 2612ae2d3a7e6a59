// RUN: terrace run %s --target emulator --verify | FileCheck %s

// Rows of 6 f32 begin at multiples of 8 bytes and not of 16; every second one at those of 16, but
// not from the third column on. An array of one dimension is one row. The answers are bits of a number,
// the first the lowest: 1010101.

// CHECK: R {{ *}}1xi32 {{ *}}checksum sum 8.5000000000e1
// CHECK: verify {{ *}}passed
func.func @which(
    %A: memref<4x6xf32> {terrace.name = "A", terrace.init = "zeros"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.init = "zeros:3x5x4"},
    %V: memref<7xf16> {terrace.name = "V", terrace.init = "zeros"},
    %R: memref<1xi32> {terrace.name = "R", terrace.init = "zeros"}
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i32
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%t, %ty, %tz) in (%bx = %c1, %bdy = %c1, %bdz = %c1) {
    %y0 = gpu.rows_aligned %A to 8 : memref<4x6xf32>
    %y1 = gpu.rows_aligned %A to 16 : memref<4x6xf32>
    %second = memref.subview %A[0, 0] [2, 6] [2, 1] : memref<4x6xf32> to memref<2x6xf32, strided<[12, 1]>>
    %y2 = gpu.rows_aligned %second to 16 : memref<2x6xf32, strided<[12, 1]>>
    %later = memref.subview %second[0, %c2] [2, 4] [1, 1] : memref<2x6xf32, strided<[12, 1]>> to memref<2x4xf32, strided<[12, 1], offset: ?>>
    %y3 = gpu.rows_aligned %later to 16 : memref<2x4xf32, strided<[12, 1], offset: ?>>
    %y4 = gpu.rows_aligned %B to 32 : memref<?x?x?xf64>
    %y5 = gpu.rows_aligned %B to 64 : memref<?x?x?xf64>
    %y6 = gpu.rows_aligned %V to 16 : memref<7xf16>
    %i6 = arith.extui %y6 : i1 to i32
    %i5 = arith.extui %y5 : i1 to i32
    %t5 = arith.muli %i6, %two : i32
    %m5 = arith.addi %t5, %i5 : i32
    %i4 = arith.extui %y4 : i1 to i32
    %t4 = arith.muli %m5, %two : i32
    %m4 = arith.addi %t4, %i4 : i32
    %i3 = arith.extui %y3 : i1 to i32
    %t3 = arith.muli %m4, %two : i32
    %m3 = arith.addi %t3, %i3 : i32
    %i2 = arith.extui %y2 : i1 to i32
    %t2 = arith.muli %m3, %two : i32
    %m2 = arith.addi %t2, %i2 : i32
    %i1 = arith.extui %y1 : i1 to i32
    %t1 = arith.muli %m2, %two : i32
    %m1 = arith.addi %t1, %i1 : i32
    %i0 = arith.extui %y0 : i1 to i32
    %t0 = arith.muli %m1, %two : i32
    %m0 = arith.addi %t0, %i0 : i32
    memref.store %m0, %R[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}
