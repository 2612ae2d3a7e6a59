// Printed by MLIR 22: mlir-opt Inputs/matmul.mlir -convert-linalg-to-parallel-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @matmul

module {
  func.func @matmul(%arg0: memref<9x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<9x11xf32>) {
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    %c7 = arith.constant 7 : index
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%c9, %c11) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %c7 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<9x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<9x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<9x11xf32>
      }
      scf.reduce 
    }
    return
  }
  func.func @matmul_dynamic(%arg0: memref<?x?xf64>, %arg1: memref<?x?xf64>, %arg2: memref<?x?xf64>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf64>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf64>
    %dim_1 = memref.dim %arg1, %c1 : memref<?x?xf64>
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%dim, %dim_1) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %dim_0 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<?x?xf64>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<?x?xf64>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<?x?xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        memref.store %4, %arg2[%arg3, %arg4] : memref<?x?xf64>
      }
      scf.reduce 
    }
    return
  }
}

