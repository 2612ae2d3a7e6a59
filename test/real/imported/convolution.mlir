// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/tensors/convolution.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module {
  func.func @convolution(%arg0: memref<1x12x12x3xf32>, %arg1: memref<3x3x3x4xf32>) -> memref<1x6x6x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<1x14x14x3xf32>
    affine.for %arg2 = 0 to 1 {
      affine.for %arg3 = 0 to 14 {
        affine.for %arg4 = 0 to 14 {
          affine.for %arg5 = 0 to 3 {
            affine.store %cst, %alloc[%arg2, %arg3, %arg4, %arg5] : memref<1x14x14x3xf32>
          }
        }
      }
    }
    %subview = memref.subview %alloc[0, 1, 1, 0] [1, 12, 12, 3] [1, 1, 1, 1] : memref<1x14x14x3xf32> to memref<1x12x12x3xf32, strided<[588, 42, 3, 1], offset: 45>>
    memref.copy %arg0, %subview : memref<1x12x12x3xf32> to memref<1x12x12x3xf32, strided<[588, 42, 3, 1], offset: 45>>
    %alloc_1 = memref.alloc() {alignment = 64 : i64} : memref<1x12x12x4xf32>
    affine.for %arg2 = 0 to 1 {
      affine.for %arg3 = 0 to 12 {
        affine.for %arg4 = 0 to 12 {
          affine.for %arg5 = 0 to 4 {
            affine.store %cst, %alloc_1[%arg2, %arg3, %arg4, %arg5] : memref<1x12x12x4xf32>
          }
        }
      }
    }
    affine.for %arg2 = 0 to 1 {
      affine.for %arg3 = 0 to 12 {
        affine.for %arg4 = 0 to 12 {
          affine.for %arg5 = 0 to 4 {
            affine.for %arg6 = 0 to 3 {
              affine.for %arg7 = 0 to 3 {
                affine.for %arg8 = 0 to 3 {
                  %0 = affine.load %alloc[%arg2, %arg3 + %arg6, %arg4 + %arg7, %arg8] : memref<1x14x14x3xf32>
                  %1 = affine.load %arg1[%arg6, %arg7, %arg8, %arg5] : memref<3x3x3x4xf32>
                  %2 = affine.load %alloc_1[%arg2, %arg3, %arg4, %arg5] : memref<1x12x12x4xf32>
                  %3 = arith.mulf %0, %1 : f32
                  %4 = arith.addf %2, %3 : f32
                  affine.store %4, %alloc_1[%arg2, %arg3, %arg4, %arg5] : memref<1x12x12x4xf32>
                }
              }
            }
          }
        }
      }
    }
    %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<1x6x6x4xf32>
    affine.for %arg2 = 0 to 1 {
      affine.for %arg3 = 0 to 6 {
        affine.for %arg4 = 0 to 6 {
          affine.for %arg5 = 0 to 4 {
            affine.store %cst_0, %alloc_2[%arg2, %arg3, %arg4, %arg5] : memref<1x6x6x4xf32>
          }
        }
      }
    }
    affine.for %arg2 = 0 to 1 {
      affine.for %arg3 = 0 to 6 {
        affine.for %arg4 = 0 to 6 {
          affine.for %arg5 = 0 to 4 {
            affine.for %arg6 = 0 to 2 {
              affine.for %arg7 = 0 to 2 {
                %0 = affine.load %alloc_1[%arg2, %arg3 * 2 + %arg6, %arg4 * 2 + %arg7, %arg5] : memref<1x12x12x4xf32>
                %1 = affine.load %alloc_2[%arg2, %arg3, %arg4, %arg5] : memref<1x6x6x4xf32>
                %2 = arith.maximumf %1, %0 : f32
                affine.store %2, %alloc_2[%arg2, %arg3, %arg4, %arg5] : memref<1x6x6x4xf32>
              }
            }
          }
        }
      }
    }
    return %alloc_2 : memref<1x6x6x4xf32>
  }
}
