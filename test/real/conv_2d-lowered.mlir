// Printed by MLIR 22: mlir-opt Inputs/conv_2d.mlir -convert-linalg-to-affine-loops -lower-affine
// REQUIRES: mlir-opt
// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t
// CHECK: func.func @conv_2d

module {
  func.func @conv_2d(%arg0: memref<10x12xf32>, %arg1: memref<3x3xf32>, %arg2: memref<8x10xf32>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %c8 step %c1 {
      %c0_0 = arith.constant 0 : index
      %c10 = arith.constant 10 : index
      %c1_1 = arith.constant 1 : index
      scf.for %arg4 = %c0_0 to %c10 step %c1_1 {
        %c0_2 = arith.constant 0 : index
        %c3 = arith.constant 3 : index
        %c1_3 = arith.constant 1 : index
        scf.for %arg5 = %c0_2 to %c3 step %c1_3 {
          %c0_4 = arith.constant 0 : index
          %c3_5 = arith.constant 3 : index
          %c1_6 = arith.constant 1 : index
          scf.for %arg6 = %c0_4 to %c3_5 step %c1_6 {
            %0 = arith.addi %arg3, %arg5 : index
            %1 = arith.addi %arg4, %arg6 : index
            %2 = memref.load %arg0[%0, %1] : memref<10x12xf32>
            %3 = memref.load %arg1[%arg5, %arg6] : memref<3x3xf32>
            %4 = memref.load %arg2[%arg3, %arg4] : memref<8x10xf32>
            %5 = arith.mulf %2, %3 : f32
            %6 = arith.addf %4, %5 : f32
            memref.store %6, %arg2[%arg3, %arg4] : memref<8x10xf32>
          }
        }
      }
    }
    return
  }
  func.func @conv_2d_strided(%arg0: memref<1x9x9x2xf32>, %arg1: memref<3x3x2x4xf32>, %arg2: memref<1x4x4x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %c1 step %c1_0 {
      %c0_1 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1_2 = arith.constant 1 : index
      scf.for %arg4 = %c0_1 to %c4 step %c1_2 {
        %c0_3 = arith.constant 0 : index
        %c4_4 = arith.constant 4 : index
        %c1_5 = arith.constant 1 : index
        scf.for %arg5 = %c0_3 to %c4_4 step %c1_5 {
          %c0_6 = arith.constant 0 : index
          %c4_7 = arith.constant 4 : index
          %c1_8 = arith.constant 1 : index
          scf.for %arg6 = %c0_6 to %c4_7 step %c1_8 {
            %c0_9 = arith.constant 0 : index
            %c3 = arith.constant 3 : index
            %c1_10 = arith.constant 1 : index
            scf.for %arg7 = %c0_9 to %c3 step %c1_10 {
              %c0_11 = arith.constant 0 : index
              %c3_12 = arith.constant 3 : index
              %c1_13 = arith.constant 1 : index
              scf.for %arg8 = %c0_11 to %c3_12 step %c1_13 {
                %c0_14 = arith.constant 0 : index
                %c2 = arith.constant 2 : index
                %c1_15 = arith.constant 1 : index
                scf.for %arg9 = %c0_14 to %c2 step %c1_15 {
                  %c2_16 = arith.constant 2 : index
                  %0 = arith.muli %arg4, %c2_16 overflow<nsw> : index
                  %1 = arith.addi %0, %arg7 : index
                  %c2_17 = arith.constant 2 : index
                  %2 = arith.muli %arg5, %c2_17 overflow<nsw> : index
                  %3 = arith.addi %2, %arg8 : index
                  %4 = memref.load %arg0[%arg3, %1, %3, %arg9] : memref<1x9x9x2xf32>
                  %5 = memref.load %arg1[%arg7, %arg8, %arg9, %arg6] : memref<3x3x2x4xf32>
                  %6 = memref.load %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
                  %7 = arith.mulf %4, %5 : f32
                  %8 = arith.addf %6, %7 : f32
                  memref.store %8, %arg2[%arg3, %arg4, %arg5, %arg6] : memref<1x4x4x4xf32>
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

