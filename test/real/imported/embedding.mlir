// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/embedding.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module attributes {torch.debug_module_name = "Embedding"} {
  func.func @forward(%arg0: memref<2x5xi64>, %arg1: memref<10x4xf32>) -> memref<2x5x4xf32> {
    %c0_i64 = arith.constant 0 : i64
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<2x5x4xf32>
    affine.for %arg2 = 0 to 2 {
      affine.for %arg3 = 0 to 5 {
        affine.for %arg4 = 0 to 4 {
          %0 = affine.load %arg0[%arg2, %arg3] : memref<2x5xi64>
          %1 = arith.index_cast %0 : i64 to index
          %2 = arith.cmpi sge, %0, %c0_i64 : i64
          cf.assert %2, "index must be larger or equal to 0"
          %3 = memref.load %arg1[%1, %arg4] : memref<10x4xf32>
          affine.store %3, %alloc[%arg2, %arg3, %arg4] : memref<2x5x4xf32>
        }
      }
    }
    return %alloc : memref<2x5x4xf32>
  }
}
