// Printed by MLIR 22: mlir-opt Inputs/batch_matmul.mlir -convert-linalg-to-affine-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @batch_matmul

module {
  func.func @batch_matmul(%arg0: memref<3x5x6xf64>, %arg1: memref<3x6x4xf64>, %arg2: memref<3x5x4xf64>) {
    affine.for %arg3 = 0 to 3 {
      affine.for %arg4 = 0 to 5 {
        affine.for %arg5 = 0 to 4 {
          affine.for %arg6 = 0 to 6 {
            %0 = affine.load %arg0[%arg3, %arg4, %arg6] : memref<3x5x6xf64>
            %1 = affine.load %arg1[%arg3, %arg6, %arg5] : memref<3x6x4xf64>
            %2 = affine.load %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
            %3 = arith.mulf %0, %1 : f64
            %4 = arith.addf %2, %3 : f64
            affine.store %4, %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
          }
        }
      }
    }
    return
  }
  func.func @batch_matmul_dynamic(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        affine.for %arg5 = 0 to %dim_2 {
          affine.for %arg6 = 0 to %dim_1 {
            %0 = affine.load %arg0[%arg3, %arg4, %arg6] : memref<?x?x?xf32>
            %1 = affine.load %arg1[%arg3, %arg6, %arg5] : memref<?x?x?xf32>
            %2 = affine.load %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
          }
        }
      }
    }
    return
  }
}

