// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/lstm.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module attributes {torch.debug_module_name = "LSTMCell"} {
  func.func @forward(%arg0: memref<5x2x8xf32>, %arg1: memref<8x16xf32>, %arg2: memref<4x16xf32>) -> (memref<2x4xf32>, memref<5x2x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 4 {
        affine.store %cst, %alloc[%arg3, %arg4] : memref<2x4xf32>
      }
    }
    %alloc_1 = memref.alloc() {alignment = 64 : i64} : memref<5x2x4xf32>
    %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
    memref.copy %alloc, %alloc_2 : memref<2x4xf32> to memref<2x4xf32>
    %alloc_3 = memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
    memref.copy %alloc, %alloc_3 : memref<2x4xf32> to memref<2x4xf32>
    %alloc_4 = memref.alloc() {alignment = 64 : i64} : memref<2x16xf32>
    %0:2 = scf.for %arg3 = %c0 to %c5 step %c1 iter_args(%arg4 = %alloc_2, %arg5 = %alloc_3) -> (memref<2x4xf32>, memref<2x4xf32>) {
      %subview = memref.subview %arg0[%arg3, 0, 0] [1, 2, 8] [1, 1, 1] : memref<5x2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
      affine.for %arg6 = 0 to 2 {
        affine.for %arg7 = 0 to 16 {
          affine.store %cst, %alloc_4[%arg6, %arg7] : memref<2x16xf32>
        }
      }
      affine.for %arg6 = 0 to 2 {
        affine.for %arg7 = 0 to 16 {
          affine.for %arg8 = 0 to 8 {
            %1 = affine.load %subview[%arg6, %arg8] : memref<2x8xf32, strided<[8, 1], offset: ?>>
            %2 = affine.load %arg1[%arg8, %arg7] : memref<8x16xf32>
            %3 = affine.load %alloc_4[%arg6, %arg7] : memref<2x16xf32>
            %4 = arith.mulf %1, %2 : f32
            %5 = arith.addf %3, %4 : f32
            affine.store %5, %alloc_4[%arg6, %arg7] : memref<2x16xf32>
          }
        }
      }
      affine.for %arg6 = 0 to 2 {
        affine.for %arg7 = 0 to 16 {
          affine.for %arg8 = 0 to 4 {
            %1 = affine.load %arg4[%arg6, %arg8] : memref<2x4xf32>
            %2 = affine.load %arg2[%arg8, %arg7] : memref<4x16xf32>
            %3 = affine.load %alloc_4[%arg6, %arg7] : memref<2x16xf32>
            %4 = arith.mulf %1, %2 : f32
            %5 = arith.addf %3, %4 : f32
            affine.store %5, %alloc_4[%arg6, %arg7] : memref<2x16xf32>
          }
        }
      }
      %subview_5 = memref.subview %alloc_4[0, 0] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1]>>
      %subview_6 = memref.subview %alloc_4[0, 4] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1], offset: 4>>
      %subview_7 = memref.subview %alloc_4[0, 8] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1], offset: 8>>
      %subview_8 = memref.subview %alloc_4[0, 12] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1], offset: 12>>
      %subview_9 = memref.subview %alloc_1[%arg3, 0, 0] [1, 2, 4] [1, 1, 1] : memref<5x2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
      %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
      affine.for %arg6 = 0 to 2 {
        affine.for %arg7 = 0 to 4 {
          %1 = affine.load %subview_5[%arg6, %arg7] : memref<2x4xf32, strided<[16, 1]>>
          %2 = affine.load %subview_6[%arg6, %arg7] : memref<2x4xf32, strided<[16, 1], offset: 4>>
          %3 = affine.load %subview_7[%arg6, %arg7] : memref<2x4xf32, strided<[16, 1], offset: 8>>
          %4 = affine.load %subview_8[%arg6, %arg7] : memref<2x4xf32, strided<[16, 1], offset: 12>>
          %5 = affine.load %arg5[%arg6, %arg7] : memref<2x4xf32>
          %6 = arith.negf %1 : f32
          %7 = math.exp %6 : f32
          %8 = arith.addf %7, %cst_0 : f32
          %9 = arith.divf %cst_0, %8 : f32
          %10 = arith.negf %2 : f32
          %11 = math.exp %10 : f32
          %12 = arith.addf %11, %cst_0 : f32
          %13 = arith.divf %cst_0, %12 : f32
          %14 = math.tanh %3 : f32
          %15 = arith.negf %4 : f32
          %16 = math.exp %15 : f32
          %17 = arith.addf %16, %cst_0 : f32
          %18 = arith.divf %cst_0, %17 : f32
          %19 = arith.mulf %13, %5 : f32
          %20 = arith.mulf %9, %14 : f32
          %21 = arith.addf %19, %20 : f32
          %22 = math.tanh %21 : f32
          %23 = arith.mulf %18, %22 : f32
          affine.store %23, %subview_9[%arg6, %arg7] : memref<2x4xf32, strided<[4, 1], offset: ?>>
          affine.store %21, %alloc_10[%arg6, %arg7] : memref<2x4xf32>
        }
      }
      %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
      memref.copy %subview_9, %alloc_11 : memref<2x4xf32, strided<[4, 1], offset: ?>> to memref<2x4xf32>
      scf.yield %alloc_11, %alloc_10 : memref<2x4xf32>, memref<2x4xf32>
    }
    return %0#0, %alloc_1 : memref<2x4xf32>, memref<5x2x4xf32>
  }
}
