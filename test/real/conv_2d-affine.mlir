// Printed by MLIR 22: mlir-opt Inputs/conv_2d.mlir -convert-linalg-to-affine-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @conv_2d

#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0, d1) -> (d0 * 2 + d1)>
module {
  func.func @conv_2d(%arg0: memref<10x12xf32>, %arg1: memref<3x3xf32>, %arg2: memref<8x10xf32>) {
    affine.for %arg3 = 0 to 8 {
      affine.for %arg4 = 0 to 10 {
        affine.for %arg5 = 0 to 3 {
          affine.for %arg6 = 0 to 3 {
            %0 = affine.apply #map(%arg3, %arg5)
            %1 = affine.apply #map(%arg4, %arg6)
            %2 = affine.load %arg0[%0, %1] : memref<10x12xf32>
            %3 = affine.load %arg1[%arg5, %arg6] : memref<3x3xf32>
            %4 = affine.load %arg2[%arg3, %arg4] : memref<8x10xf32>
            %5 = arith.mulf %2, %3 : f32
            %6 = arith.addf %4, %5 : f32
            affine.store %6, %arg2[%arg3, %arg4] : memref<8x10xf32>
          }
        }
      }
    }
    return
  }
  func.func @conv_2d_strided(%arg0: memref<1x9x9x2xf32>, %arg1: memref<3x3x2x4xf32>, %arg2: memref<1x4x4x4xf32>) {
    affine.for %arg3 = 0 to 1 {
      affine.for %arg4 = 0 to 4 {
        affine.for %arg5 = 0 to 4 {
          affine.for %arg6 = 0 to 4 {
            affine.for %arg7 = 0 to 3 {
              affine.for %arg8 = 0 to 3 {
                affine.for %arg9 = 0 to 2 {
                  %0 = affine.apply #map1(%arg4, %arg7)
                  %1 = affine.apply #map1(%arg5, %arg8)
                  %2 = affine.load %arg0[%arg3, %0, %1, %arg9] : memref<1x9x9x2xf32>
                  %3 = affine.load %arg1[%arg7, %arg8, %arg9, %arg6] : memref<3x3x2x4xf32>
                  %4 = affine.load %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
                  %5 = arith.mulf %2, %3 : f32
                  %6 = arith.addf %4, %5 : f32
                  affine.store %6, %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
                }
              }
            }
          }
        }
      }
    }
    return
  }
}

