// Printed by MLIR 22: mlir-opt Inputs/batch_matmul.mlir -convert-linalg-to-parallel-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @batch_matmul

module {
  func.func @batch_matmul(%arg0: memref<3x5x6xf64>, %arg1: memref<3x6x4xf64>, %arg2: memref<3x5x4xf64>) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    scf.parallel (%arg3, %arg4, %arg5) = (%c0, %c0, %c0) to (%c3, %c5, %c4) step (%c1, %c1, %c1) {
      scf.for %arg6 = %c0 to %c6 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg4, %arg6] : memref<3x5x6xf64>
        %1 = memref.load %arg1[%arg3, %arg6, %arg5] : memref<3x6x4xf64>
        %2 = memref.load %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        memref.store %4, %arg2[%arg3, %arg4, %arg5] : memref<3x5x4xf64>
      }
      scf.reduce 
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
    scf.parallel (%arg3, %arg4, %arg5) = (%c0, %c0, %c0) to (%dim, %dim_0, %dim_2) step (%c1, %c1, %c1) {
      scf.for %arg6 = %c0 to %dim_1 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg4, %arg6] : memref<?x?x?xf32>
        %1 = memref.load %arg1[%arg3, %arg6, %arg5] : memref<?x?x?xf32>
        %2 = memref.load %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
      }
      scf.reduce 
    }
    return
  }
}

