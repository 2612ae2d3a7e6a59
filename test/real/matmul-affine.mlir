// Printed by MLIR 22: mlir-opt Inputs/matmul.mlir -convert-linalg-to-affine-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @matmul

module {
  func.func @matmul(%arg0: memref<9x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<9x11xf32>) {
    affine.for %arg3 = 0 to 9 {
      affine.for %arg4 = 0 to 11 {
        affine.for %arg5 = 0 to 7 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<9x7xf32>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<7x11xf32>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<9x11xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg3, %arg4] : memref<9x11xf32>
        }
      }
    }
    return
  }
  func.func @matmul_dynamic(%arg0: memref<?x?xf64>, %arg1: memref<?x?xf64>, %arg2: memref<?x?xf64>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf64>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf64>
    %dim_1 = memref.dim %arg1, %c1 : memref<?x?xf64>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_1 {
        affine.for %arg5 = 0 to %dim_0 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<?x?xf64>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<?x?xf64>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<?x?xf64>
          %3 = arith.mulf %0, %1 : f64
          %4 = arith.addf %2, %3 : f64
          affine.store %4, %arg2[%arg3, %arg4] : memref<?x?xf64>
        }
      }
    }
    return
  }
}

