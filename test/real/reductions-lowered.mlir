// Printed by MLIR 22: mlir-opt Inputs/reductions.mlir -convert-linalg-to-affine-loops -lower-affine
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @reductions

module {
  func.func @reductions_rows(%arg0: memref<6x13xf64>, %arg1: memref<6xf64>, %arg2: memref<6xf64>) {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %c6 step %c1 {
      %c0_0 = arith.constant 0 : index
      %c13 = arith.constant 13 : index
      %c1_1 = arith.constant 1 : index
      scf.for %arg4 = %c0_0 to %c13 step %c1_1 {
        %0 = memref.load %arg0[%arg3, %arg4] : memref<6x13xf64>
        %1 = memref.load %arg1[%arg3] : memref<6xf64>
        %2 = memref.load %arg2[%arg3] : memref<6xf64>
        %3 = arith.addf %1, %0 : f64
        %4 = arith.maximumf %2, %0 : f64
        memref.store %3, %arg1[%arg3] : memref<6xf64>
        memref.store %4, %arg2[%arg3] : memref<6xf64>
      }
    }
    return
  }
  func.func @norm(%arg0: memref<?x?xf32>, %arg1: memref<f32>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    %c0_1 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    scf.for %arg2 = %c0_1 to %dim step %c1_2 {
      %c0_3 = arith.constant 0 : index
      %c1_4 = arith.constant 1 : index
      scf.for %arg3 = %c0_3 to %dim_0 step %c1_4 {
        %0 = memref.load %arg0[%arg2, %arg3] : memref<?x?xf32>
        %1 = memref.load %arg1[] : memref<f32>
        %2 = arith.mulf %0, %0 : f32
        %3 = arith.addf %1, %2 : f32
        memref.store %3, %arg1[] : memref<f32>
      }
    }
    return
  }
}

