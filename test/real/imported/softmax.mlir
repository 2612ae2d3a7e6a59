// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/tensors/softmax.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module {
  func.func @softmax(%arg0: memref<?x16xf32>) -> memref<?x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFFC00000 : f32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x16xf32>
    %alloc = memref.alloc(%dim) {alignment = 64 : i64} : memref<?x16xf32>
    %alloc_1 = memref.alloc(%dim) {alignment = 64 : i64} : memref<?xf32>
    affine.for %arg1 = 0 to %dim {
      affine.store %cst_0, %alloc_1[%arg1] : memref<?xf32>
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %0 = affine.load %arg0[%arg1, %arg2] : memref<?x16xf32>
        %1 = affine.load %alloc_1[%arg1] : memref<?xf32>
        %2 = arith.maxnumf %0, %1 : f32
        affine.store %2, %alloc_1[%arg1] : memref<?xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %0 = affine.load %arg0[%arg1, %arg2] : memref<?x16xf32>
        %1 = affine.load %alloc_1[%arg1] : memref<?xf32>
        %2 = arith.subf %0, %1 : f32
        %3 = math.exp %2 : f32
        affine.store %3, %alloc[%arg1, %arg2] : memref<?x16xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.store %cst, %alloc_1[%arg1] : memref<?xf32>
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %0 = affine.load %alloc[%arg1, %arg2] : memref<?x16xf32>
        %1 = affine.load %alloc_1[%arg1] : memref<?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %alloc_1[%arg1] : memref<?xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %0 = affine.load %alloc[%arg1, %arg2] : memref<?x16xf32>
        %1 = affine.load %alloc_1[%arg1] : memref<?xf32>
        %2 = arith.divf %0, %1 : f32
        affine.store %2, %alloc[%arg1, %arg2] : memref<?x16xf32>
      }
    }
    return %alloc : memref<?x16xf32>
  }
}
