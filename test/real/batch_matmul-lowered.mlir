// Printed by MLIR 22: mlir-opt Inputs/batch_matmul.mlir -convert-linalg-to-affine-loops -lower-affine
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @batch_matmul

module {
  func.func @batch_matmul(%arg0: memref<3x5x6xf64>, %arg1: memref<3x6x4xf64>, %arg2: memref<3x5x4xf64>) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %c3 step %c1 {
      %c0_0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %c1_1 = arith.constant 1 : index
      scf.for %arg4 = %c0_0 to %c5 step %c1_1 {
        %c0_2 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c1_3 = arith.constant 1 : index
        scf.for %arg5 = %c0_2 to %c4 step %c1_3 {
          %c0_4 = arith.constant 0 : index
          %c6 = arith.constant 6 : index
          %c1_5 = arith.constant 1 : index
          scf.for %arg6 = %c0_4 to %c6 step %c1_5 {
            %0 = memref.load %arg0[%arg3, %arg4, %arg6] : memref<3x5x6xf64>
            %1 = memref.load %arg1[%arg3, %arg6, %arg5] : memref<3x6x4xf64>
            %2 = memref.load %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
            %3 = arith.mulf %0, %1 : f64
            %4 = arith.addf %2, %3 : f64
            memref.store %4, %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
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
    %c0_3 = arith.constant 0 : index
    %c1_4 = arith.constant 1 : index
    scf.for %arg3 = %c0_3 to %dim step %c1_4 {
      %c0_5 = arith.constant 0 : index
      %c1_6 = arith.constant 1 : index
      scf.for %arg4 = %c0_5 to %dim_0 step %c1_6 {
        %c0_7 = arith.constant 0 : index
        %c1_8 = arith.constant 1 : index
        scf.for %arg5 = %c0_7 to %dim_2 step %c1_8 {
          %c0_9 = arith.constant 0 : index
          %c1_10 = arith.constant 1 : index
          scf.for %arg6 = %c0_9 to %dim_1 step %c1_10 {
            %0 = memref.load %arg0[%arg3, %arg4, %arg6] : memref<?x?x?xf32>
            %1 = memref.load %arg1[%arg3, %arg6, %arg5] : memref<?x?x?xf32>
            %2 = memref.load %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            memref.store %4, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
          }
        }
      }
    }
    return
  }
}

