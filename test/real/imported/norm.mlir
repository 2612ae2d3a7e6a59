// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/norm.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module attributes {torch.debug_module_name = "Norm"} {
  memref.global "private" constant @__constant_12xf32_0 : memref<12xf32> = dense<[-2.890000e-01, 8.100000e-02, -3.580000e-01, 2.400000e-02, 4.530000e-01, -3.670000e-01, 3.200000e-01, 0.00899999961, 3.870000e-01, 2.030000e-01, -2.690000e-01, 3.980000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_12xf32 : memref<12xf32> = dense<[3.940000e-01, -3.010000e-01, 4.780000e-01, 4.360000e-01, -4.820000e-01, -4.100000e-02, 3.200000e-01, 4.680000e-01, -5.100000e-02, -2.310000e-01, -2.900000e-01, 4.460000e-01]> {alignment = 64 : i64}
  func.func @forward(%arg0: memref<2x5x12xf32>) -> memref<2x5x12xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %cst_1 = arith.constant 1.41421354 : f32
    %cst_2 = arith.constant 9.99999974E-6 : f32
    %cst_3 = arith.constant 1.200000e+01 : f32
    %cst_4 = arith.constant 0.000000e+00 : f32
    %0 = memref.get_global @__constant_12xf32 : memref<12xf32>
    %1 = memref.get_global @__constant_12xf32_0 : memref<12xf32>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<2x5x1xf32>
    %alloc_5 = memref.alloc() {alignment = 64 : i64} : memref<2x5x1xf32>
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 1 {
          affine.store %cst_4, %alloc_5[%arg1, %arg2, %arg3] : memref<2x5x1xf32>
        }
      }
    }
    %alloc_6 = memref.alloc() {alignment = 64 : i64} : memref<2x5x1xf32>
    memref.copy %alloc_5, %alloc_6 : memref<2x5x1xf32> to memref<2x5x1xf32>
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %arg0[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = affine.load %alloc_6[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %alloc_6[%arg1, %arg2, 0] : memref<2x5x1xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 1 {
          %2 = affine.load %alloc_6[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %3 = arith.divf %2, %cst_3 : f32
          affine.store %3, %alloc[%arg1, %arg2, %arg3] : memref<2x5x1xf32>
        }
      }
    }
    %alloc_7 = memref.alloc() {alignment = 64 : i64} : memref<2x5x12xf32>
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %arg0[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = affine.load %alloc[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %4 = arith.subf %2, %3 : f32
          affine.store %4, %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
        }
      }
    }
    %alloc_8 = memref.alloc() {alignment = 64 : i64} : memref<2x5x12xf32>
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = arith.mulf %2, %2 : f32
          affine.store %3, %alloc_8[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %alloc_8[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = affine.load %alloc_5[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %alloc_5[%arg1, %arg2, 0] : memref<2x5x1xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 1 {
          %2 = affine.load %alloc_5[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %3 = arith.divf %2, %cst_3 : f32
          %4 = arith.addf %3, %cst_2 : f32
          %5 = math.rsqrt %4 : f32
          affine.store %5, %alloc[%arg1, %arg2, %arg3] : memref<2x5x1xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = affine.load %alloc[%arg1, %arg2, 0] : memref<2x5x1xf32>
          %4 = affine.load %0[%arg3] : memref<12xf32>
          %5 = affine.load %1[%arg3] : memref<12xf32>
          %6 = arith.mulf %2, %3 : f32
          %7 = arith.mulf %6, %4 : f32
          %8 = arith.addf %7, %5 : f32
          affine.store %8, %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 2 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 12 {
          %2 = affine.load %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
          %3 = arith.divf %2, %cst_1 : f32
          %4 = math.erf %3 : f32
          %5 = arith.addf %4, %cst : f32
          %6 = arith.mulf %5, %cst_0 : f32
          %7 = arith.mulf %2, %6 : f32
          affine.store %7, %alloc_7[%arg1, %arg2, %arg3] : memref<2x5x12xf32>
        }
      }
    }
    return %alloc_7 : memref<2x5x12xf32>
  }
}
