// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/tensors/attention.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module {
  func.func @attention(%arg0: memref<2x6x16xf32>, %arg1: memref<2x8x16xf32>, %arg2: memref<2x8x16xf32>) -> memref<2x6x16xf32> {
    %cst = arith.constant 0xFFC00000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<2x16x8xf32>
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 16 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %arg1[%arg3, %arg5, %arg4] : memref<2x8x16xf32>
          affine.store %0, %alloc[%arg3, %arg4, %arg5] : memref<2x16x8xf32>
        }
      }
    }
    %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<2x6x8xf32>
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          affine.store %cst_0, %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          affine.for %arg6 = 0 to 16 {
            %0 = affine.load %arg0[%arg3, %arg4, %arg6] : memref<2x6x16xf32>
            %1 = affine.load %alloc[%arg3, %arg6, %arg5] : memref<2x16x8xf32>
            %2 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          }
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          %1 = arith.mulf %0, %cst_1 : f32
          affine.store %1, %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
        }
      }
    }
    %alloc_3 = memref.alloc() {alignment = 64 : i64} : memref<2x6xf32>
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.store %cst, %alloc_3[%arg3, %arg4] : memref<2x6xf32>
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          %1 = affine.load %alloc_3[%arg3, %arg4] : memref<2x6xf32>
          %2 = arith.maxnumf %0, %1 : f32
          affine.store %2, %alloc_3[%arg3, %arg4] : memref<2x6xf32>
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          %1 = affine.load %alloc_3[%arg3, %arg4] : memref<2x6xf32>
          %2 = arith.subf %0, %1 : f32
          %3 = math.exp %2 : f32
          affine.store %3, %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.store %cst_0, %alloc_3[%arg3, %arg4] : memref<2x6xf32>
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          %1 = affine.load %alloc_3[%arg3, %arg4] : memref<2x6xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %alloc_3[%arg3, %arg4] : memref<2x6xf32>
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 8 {
          %0 = affine.load %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
          %1 = affine.load %alloc_3[%arg3, %arg4] : memref<2x6xf32>
          %2 = arith.divf %0, %1 : f32
          affine.store %2, %alloc_2[%arg3, %arg4, %arg5] : memref<2x6x8xf32>
        }
      }
    }
    %alloc_4 = memref.alloc() {alignment = 64 : i64} : memref<2x6x16xf32>
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 16 {
          affine.store %cst_0, %alloc_4[%arg3, %arg4, %arg5] : memref<2x6x16xf32>
        }
      }
    }
    affine.for %arg3 = 0 to 2 {
      affine.for %arg4 = 0 to 6 {
        affine.for %arg5 = 0 to 16 {
          affine.for %arg6 = 0 to 8 {
            %0 = affine.load %alloc_2[%arg3, %arg4, %arg6] : memref<2x6x8xf32>
            %1 = affine.load %arg2[%arg3, %arg6, %arg5] : memref<2x8x16xf32>
            %2 = affine.load %alloc_4[%arg3, %arg4, %arg5] : memref<2x6x16xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %alloc_4[%arg3, %arg4, %arg5] : memref<2x6x16xf32>
          }
        }
      }
    }
    return %alloc_4 : memref<2x6x16xf32>
  }
}
