// Printed by MLIR 22: mlir-opt Inputs/conv_2d.mlir -convert-linalg-to-parallel-loops
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @conv_2d

#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0, d1) -> (d0 * 2 + d1)>
module {
  func.func @conv_2d(%arg0: memref<10x12xf32>, %arg1: memref<3x3xf32>, %arg2: memref<8x10xf32>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %c3 = arith.constant 3 : index
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%c8, %c10) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %c3 step %c1 {
        scf.for %arg6 = %c0 to %c3 step %c1 {
          %0 = affine.apply #map(%arg3, %arg5)
          %1 = affine.apply #map(%arg4, %arg6)
          %2 = memref.load %arg0[%0, %1] : memref<10x12xf32>
          %3 = memref.load %arg1[%arg5, %arg6] : memref<3x3xf32>
          %4 = memref.load %arg2[%arg3, %arg4] : memref<8x10xf32>
          %5 = arith.mulf %2, %3 : f32
          %6 = arith.addf %4, %5 : f32
          memref.store %6, %arg2[%arg3, %arg4] : memref<8x10xf32>
        }
      }
      scf.reduce 
    }
    return
  }
  func.func @conv_2d_strided(%arg0: memref<1x9x9x2xf32>, %arg1: memref<3x3x2x4xf32>, %arg2: memref<1x4x4x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    scf.parallel (%arg3, %arg4, %arg5, %arg6) = (%c0, %c0, %c0, %c0) to (%c1, %c4, %c4, %c4) step (%c1, %c1, %c1, %c1) {
      scf.for %arg7 = %c0 to %c3 step %c1 {
        scf.for %arg8 = %c0 to %c3 step %c1 {
          scf.for %arg9 = %c0 to %c2 step %c1 {
            %0 = affine.apply #map1(%arg4, %arg7)
            %1 = affine.apply #map1(%arg5, %arg8)
            %2 = memref.load %arg0[%arg3, %0, %1, %arg9] : memref<1x9x9x2xf32>
            %3 = memref.load %arg1[%arg7, %arg8, %arg9, %arg6] : memref<3x3x2x4xf32>
            %4 = memref.load %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
            %5 = arith.mulf %2, %3 : f32
            %6 = arith.addf %4, %5 : f32
            memref.store %6, %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
          }
        }
      }
      scf.reduce 
    }
    return
  }
}

