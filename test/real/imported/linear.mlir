// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/tensors/linear.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module {
  func.func @linear(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?xf32>) -> memref<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg1, %c1 : memref<?x?xf32>
    %alloc = memref.alloc(%dim, %dim_0) {alignment = 64 : i64} : memref<?x?xf32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        affine.store %cst, %alloc[%arg3, %arg4] : memref<?x?xf32>
      }
    }
    %dim_1 = memref.dim %arg0, %c1 : memref<?x?xf32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        affine.for %arg5 = 0 to %dim_1 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<?x?xf32>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<?x?xf32>
          %2 = affine.load %alloc[%arg3, %arg4] : memref<?x?xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %alloc[%arg3, %arg4] : memref<?x?xf32>
        }
      }
    }
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        %0 = affine.load %alloc[%arg3, %arg4] : memref<?x?xf32>
        %1 = affine.load %arg2[%arg4] : memref<?xf32>
        %2 = arith.addf %0, %1 : f32
        %3 = arith.maximumf %2, %cst : f32
        affine.store %3, %alloc[%arg3, %arg4] : memref<?x?xf32>
      }
    }
    return %alloc : memref<?x?xf32>
  }
}
