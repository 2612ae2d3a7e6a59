// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/mlp.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module attributes {torch.debug_module_name = "MLP"} {
  memref.global "private" constant @__constant_4xf32 : memref<4xf32> = dense<[-1.670000e-01, 3.010000e-01, 4.720000e-01, -1.040000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_4x16xf32 : memref<4x16xf32> = dense<[[-3.400000e-02, -1.600000e-02, -4.140000e-01, -3.980000e-01, -1.570000e-01, -2.350000e-01, 3.290000e-01, -3.390000e-01, -4.770000e-01, 4.510000e-01, 2.800000e-02, -3.530000e-01, 4.300000e-02, -4.730000e-01, 2.800000e-02, 4.790000e-01], [3.630000e-01, 1.960000e-01, -2.390000e-01, -1.330000e-01, -3.330000e-01, 2.720000e-01, 3.300000e-02, 2.790000e-01, -1.700000e-01, -2.770000e-01, 3.120000e-01, 4.850000e-01, 3.530000e-01, 3.060000e-01, 3.180000e-01, 2.400000e-01], [-2.730000e-01, 1.800000e-02, -1.440000e-01, -4.710000e-01, -4.720000e-01, -2.210000e-01, -2.410000e-01, 1.930000e-01, 4.570000e-01, -5.300000e-02, 4.370000e-01, 4.880000e-01, 4.550000e-01, -1.350000e-01, -2.800000e-01, -2.730000e-01], [-3.030000e-01, -2.960000e-01, 1.240000e-01, 4.000000e-01, 3.400000e-01, -2.100000e-02, 1.530000e-01, 3.000000e-01, -4.150000e-01, 1.610000e-01, 4.100000e-01, 2.820000e-01, 2.500000e-01, -2.200000e-02, -3.210000e-01, 2.890000e-01]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_16xf32 : memref<16xf32> = dense<[-1.600000e-01, -4.470000e-01, -5.000000e-01, -3.490000e-01, -3.990000e-01, -1.360000e-01, -4.740000e-01, 3.740000e-01, 1.140000e-01, -3.510000e-01, -2.480000e-01, -1.530000e-01, -1.360000e-01, -3.770000e-01, 3.490000e-01, 4.930000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_16x8xf32 : memref<16x8xf32> = dense<"0x583934BE21B0B2BEBE9F1A3ED122DBBEBC74133D4C3709BED34DE2BE4260E53B560EEDBE022B87BDF628DCBE7368D1BE9A9999BD8B6CA73E1283C0BEF2D28DBE4A0C023E4260E53E2DB29D3DAAF1D2BD46B6F33E9EEFE7BEC74BB73E3D0A57BEA245B6BE8195C3BEA69B44BEC1CAA13EF853A3BE9EEFA73D04560E3E6F1203BEA69B443D77BEDFBEAE47E1BE2B8796BEEC51383EBC7493BDC9763EBEC520B03D128340BDCDCC4CBE2B87963EA8C64B3E6F1283BE508D973DCDCCCC3C0000C03EFA7E6A3E871659BE8FC2F53E8195C3BE9EEFA7BD8195833E0E2DB2BE583934BC3108ECBE31082C3E14AE873E0681953D0000C03EC9763EBE14AE473E1283C03D0AD7A33D583934BD7B14AE3E0AD7E33EF4FDD4BC9EEF273E9CC4E0BEF2D24D3E2B87163E7F6AFC3E2FDDA43EF6285CBED578E9BD560E2D3E5839F4BEE3A51BBDE7FBA9BE9318C4BEC1CAE1BE4C37893EB6F3BDBE250681BE643BDFBDB6F3BD3E2B87D6BE60E550BD39B4483D9318C43EF853A33E355EBA3EF85363BE7B14AEBD4E6210BEA69BC43EFA7EEA3E21B0B2BE54E3A5BE4C3789BE39B488BE8FC275BCA245B63D21B072BEB6F3FDBE54E3A5BDDD2406BE022B873D9EEFE73E5C8F423E8FC2753CFCA9F13D5839343E1D5AE4BECDCCCC3E295C8F3E0000C03E7593983E1B2FDDBD17D9CEBD83C0CABE4C37093E8941E0BE2DB2DDBEF4FD94BE560EADBE"> {alignment = 64 : i64}
  memref.global "private" @global_seed : memref<i64> = dense<0>
  func.func @forward(%arg0: memref<?x8xf32>) -> memref<?x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %0 = memref.get_global @__constant_16x8xf32 : memref<16x8xf32>
    %1 = memref.get_global @__constant_16xf32 : memref<16xf32>
    %2 = memref.get_global @__constant_4x16xf32 : memref<4x16xf32>
    %3 = memref.get_global @__constant_4xf32 : memref<4xf32>
    %dim = memref.dim %arg0, %c0 : memref<?x8xf32>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
    affine.for %arg1 = 0 to 8 {
      affine.for %arg2 = 0 to 16 {
        %4 = affine.load %0[%arg2, %arg1] : memref<16x8xf32>
        affine.store %4, %alloc[%arg1, %arg2] : memref<8x16xf32>
      }
    }
    %alloc_0 = memref.alloc(%dim) {alignment = 64 : i64} : memref<?x16xf32>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        affine.store %cst, %alloc_0[%arg1, %arg2] : memref<?x16xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        affine.for %arg3 = 0 to 8 {
          %4 = affine.load %arg0[%arg1, %arg3] : memref<?x8xf32>
          %5 = affine.load %alloc[%arg3, %arg2] : memref<8x16xf32>
          %6 = affine.load %alloc_0[%arg1, %arg2] : memref<?x16xf32>
          %7 = arith.mulf %4, %5 : f32
          %8 = arith.addf %6, %7 : f32
          affine.store %8, %alloc_0[%arg1, %arg2] : memref<?x16xf32>
        }
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %4 = affine.load %alloc_0[%arg1, %arg2] : memref<?x16xf32>
        %5 = affine.load %1[%arg2] : memref<16xf32>
        %6 = arith.addf %4, %5 : f32
        affine.store %6, %alloc_0[%arg1, %arg2] : memref<?x16xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 16 {
        %4 = affine.load %alloc_0[%arg1, %arg2] : memref<?x16xf32>
        %5 = arith.cmpf ugt, %4, %cst : f32
        %6 = arith.select %5, %4, %cst : f32
        affine.store %6, %alloc_0[%arg1, %arg2] : memref<?x16xf32>
      }
    }
    %alloc_1 = memref.alloc() {alignment = 64 : i64} : memref<16x4xf32>
    affine.for %arg1 = 0 to 16 {
      affine.for %arg2 = 0 to 4 {
        %4 = affine.load %2[%arg2, %arg1] : memref<4x16xf32>
        affine.store %4, %alloc_1[%arg1, %arg2] : memref<16x4xf32>
      }
    }
    %alloc_2 = memref.alloc(%dim) {alignment = 64 : i64} : memref<?x4xf32>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 4 {
        affine.store %cst, %alloc_2[%arg1, %arg2] : memref<?x4xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 4 {
        affine.for %arg3 = 0 to 16 {
          %4 = affine.load %alloc_0[%arg1, %arg3] : memref<?x16xf32>
          %5 = affine.load %alloc_1[%arg3, %arg2] : memref<16x4xf32>
          %6 = affine.load %alloc_2[%arg1, %arg2] : memref<?x4xf32>
          %7 = arith.mulf %4, %5 : f32
          %8 = arith.addf %6, %7 : f32
          affine.store %8, %alloc_2[%arg1, %arg2] : memref<?x4xf32>
        }
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 4 {
        %4 = affine.load %alloc_2[%arg1, %arg2] : memref<?x4xf32>
        %5 = affine.load %3[%arg2] : memref<4xf32>
        %6 = arith.addf %4, %5 : f32
        affine.store %6, %alloc_2[%arg1, %arg2] : memref<?x4xf32>
      }
    }
    return %alloc_2 : memref<?x4xf32>
  }
}
