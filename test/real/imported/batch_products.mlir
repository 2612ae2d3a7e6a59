// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/tensors/batch_products.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module {
  func.func @batch_products(%arg0: memref<3x8x12xf64>, %arg1: memref<3x10x12xf64>) -> (memref<3x8x10xf64>, memref<8x10xf64>) {
    %cst = arith.constant 0.000000e+00 : f64
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<3x12x10xf64>
    affine.for %arg2 = 0 to 3 {
      affine.for %arg3 = 0 to 12 {
        affine.for %arg4 = 0 to 10 {
          %0 = affine.load %arg1[%arg2, %arg4, %arg3] : memref<3x10x12xf64>
          affine.store %0, %alloc[%arg2, %arg3, %arg4] : memref<3x12x10xf64>
        }
      }
    }
    %alloc_0 = memref.alloc() {alignment = 64 : i64} : memref<3x8x10xf64>
    affine.for %arg2 = 0 to 3 {
      affine.for %arg3 = 0 to 8 {
        affine.for %arg4 = 0 to 10 {
          affine.store %cst, %alloc_0[%arg2, %arg3, %arg4] : memref<3x8x10xf64>
        }
      }
    }
    affine.for %arg2 = 0 to 3 {
      affine.for %arg3 = 0 to 8 {
        affine.for %arg4 = 0 to 10 {
          affine.for %arg5 = 0 to 12 {
            %0 = affine.load %arg0[%arg2, %arg3, %arg5] : memref<3x8x12xf64>
            %1 = affine.load %alloc[%arg2, %arg5, %arg4] : memref<3x12x10xf64>
            %2 = affine.load %alloc_0[%arg2, %arg3, %arg4] : memref<3x8x10xf64>
            %3 = arith.mulf %0, %1 : f64
            %4 = arith.addf %2, %3 : f64
            affine.store %4, %alloc_0[%arg2, %arg3, %arg4] : memref<3x8x10xf64>
          }
        }
      }
    }
    %alloc_1 = memref.alloc() {alignment = 64 : i64} : memref<8x10xf64>
    affine.for %arg2 = 0 to 8 {
      affine.for %arg3 = 0 to 10 {
        affine.store %cst, %alloc_1[%arg2, %arg3] : memref<8x10xf64>
      }
    }
    affine.for %arg2 = 0 to 3 {
      affine.for %arg3 = 0 to 8 {
        affine.for %arg4 = 0 to 10 {
          %0 = affine.load %alloc_0[%arg2, %arg3, %arg4] : memref<3x8x10xf64>
          %1 = affine.load %alloc_1[%arg3, %arg4] : memref<8x10xf64>
          %2 = arith.addf %1, %0 : f64
          affine.store %2, %alloc_1[%arg3, %arg4] : memref<8x10xf64>
        }
      }
    }
    return %alloc_0, %alloc_1 : memref<3x8x10xf64>, memref<8x10xf64>
  }
}
