// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/cnn.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

module attributes {torch.debug_module_name = "CNN"} {
  memref.global "private" constant @__constant_5xf32 : memref<5xf32> = dense<[-2.090000e-01, 1.700000e-02, -3.500000e-02, -3.400000e-02, -3.810000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_5x48xf32 : memref<5x48xf32> = dense<"0x1D5A64BE96438B3E6F12033CB6F37D3DB81E853EAAF1D23ED57869BD8B6CE73DA69BC43BA69B443CCBA1453EA69B44BD022B073D5839B4BCD34DE23EA8C64B3E2506C13ED34DE23E8FC275BE8FC2753DE5D0E23E7B14AE3E23DBB9BE3789C1BE68916DBDBE9FDABEA69B84BEBE9FDABE560E2D3E7368913E9643CB3EE926B1BE1B2F5D3E0AD7233EB4C8B6BE9318C43EB29DEF3E295C8FBE9EEFE73E60E5D0BDF4FD54BC48E1FA3EE7FBA93E6891ADBE96438BBD6F12833C2FDD24BEE3A59BBE105839BEF853633EA245F6BE1B2F5D3D8FC275BDB4C8F6BE560E2DBEB6F3FD3DA69B443C643BDFBEEC51F83EBC74933EFCA9F13E713DCABEB29D6FBE1F85EBBE17D98E3E1F856BBEA470BDBE77BE9FBD986ED23EF853A33EB4C876BE46B6B3BE2B87D63E7368913DCDCC4C3E986ED2BED34DE2BE1283403E9A9999BDD122DBBE8941E03E4C37093EBE9F9A3EF4FDD4BEA245B63E2DB2DDBE23DBB93E7F6A3CBD2FDD24BE8716593DBE9FDA3E68916DBEB6F3BDBE1B2FDD3CDD2486BE2731C8BE6891ADBE6666E6BE759398BE128340BE14AE47BEA69B843E3D0A57BE000000002FDDA4BE08AC1CBEB4C8F6BE000080BEEC51F8BE8D976E3E60E5503D643B9FBECDCCCCBC52B8DE3E5EBAC9BEF853A33E96438BBD0AD7A3BB1F85AB3ED122DBBD4260E53B1283403EB4C8F63E9CC420BEE7FBA93ECFF7533E96430B3E5C8FC2BDE3A51BBE1D5AE4BEA470BDBEE3A5DBBEB4C8763E23DB79BE448BACBEF4FDD4BE8D97AE3EB6F3BD3EA01A2F3E643B5FBE931884BECFF753BE9EEF27BDA01AAFBE1B2F5DBD21B072BE448BEC3E0E2DF23E1283403D6F1283BE8D97EE3E5C8F42BE986E12BEEE7CFFBEFCA9F1BDCDCCCCBCA69B443B871699BE0AD7A33BA470FDBEFCA971BE85EBD1BECDCCCCBDFA7EEABE6ABCF4BE39B448BE39B488BEC520B03D6891ED3C1283803EC1CA213E1B2F5D3E4A0CC23EAE47E1BD0E2D32BEEC51F83E46B6B3BE4260653E986E123ED578E9BE1F85AB3E39B4C83E4A0C023EB29D6F3E77BE9F3EFED4B8BEA69BC43C6F12833B1F85AB3EF6289C3E79E9A63E3108AC3D4C37C93E5A643B3ECBA1453E713D8ABEC520F0BE6DE7BBBE04560EBE713DCABE3108AC3EFCA9713D6F12033E2506013E1058393E583934BCC976FEBE7593983EB6F37D3EA69B443B295C0F3DE5D0223E3F35DEBE21B0723EB6F37DBEAC1CDABEB29D6FBEFA7E6A3E3D0A97BE8FC2753E46B6F33EA69BC4BBB29DEFBD3108ACBC7F6A3C3E39B4883EB29DEF3D986E123E7593D8BE6ABCB4BE6DE77BBEFED4783E39B448BE96438B3D23DBF9BE9CC4E0BE448B6CBEC520303EA69B443E5839343E"> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3xf32 : memref<3xf32> = dense<[-3.940000e-01, 6.000000e-02, -2.520000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3x2x3x3xf32 : memref<3x2x3x3xf32> = dense<[[[[-0.0989999994, 4.470000e-01, 2.250000e-01], [-3.300000e-01, -3.730000e-01, -3.490000e-01], [4.050000e-01, 3.070000e-01, -3.540000e-01]], [[3.270000e-01, 4.800000e-01, 1.570000e-01], [-1.500000e-01, 4.900000e-02, -3.690000e-01], [-4.860000e-01, 4.710000e-01, 1.500000e-01]]], [[[2.700000e-02, 4.340000e-01, -6.600000e-02], [3.720000e-01, 3.260000e-01, -2.890000e-01], [-2.480000e-01, -2.070000e-01, -2.590000e-01]], [[8.600000e-02, -2.410000e-01, -8.100000e-02], [-3.690000e-01, 4.100000e-01, -1.460000e-01], [-4.200000e-02, 0.0829999968, 4.040000e-01]]], [[[-7.900000e-02, 4.180000e-01, 2.000000e-03], [3.200000e-02, 2.400000e-02, -4.810000e-01], [-6.000000e-02, -3.170000e-01, -4.960000e-01]], [[2.990000e-01, -3.280000e-01, -2.700000e-02], [2.250000e-01, 5.600000e-02, -1.740000e-01], [1.800000e-02, 5.500000e-02, 2.840000e-01]]]]> {alignment = 64 : i64}
  memref.global "private" @global_seed : memref<i64> = dense<0>
  func.func @forward(%arg0: memref<1x2x8x8xf32>) -> memref<1x5xf32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = memref.get_global @__constant_3x2x3x3xf32 : memref<3x2x3x3xf32>
    %1 = memref.get_global @__constant_3xf32 : memref<3xf32>
    %2 = memref.get_global @__constant_5x48xf32 : memref<5x48xf32>
    %3 = memref.get_global @__constant_5xf32 : memref<5xf32>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<1x2x10x10xf32>
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 2 {
        affine.for %arg3 = 0 to 10 {
          affine.for %arg4 = 0 to 10 {
            affine.store %cst_0, %alloc[%arg1, %arg2, %arg3, %arg4] : memref<1x2x10x10xf32>
          }
        }
      }
    }
    %subview = memref.subview %alloc[0, 0, 1, 1] [1, 2, 8, 8] [1, 1, 1, 1] : memref<1x2x10x10xf32> to memref<1x2x8x8xf32, strided<[200, 100, 10, 1], offset: 11>>
    memref.copy %arg0, %subview : memref<1x2x8x8xf32> to memref<1x2x8x8xf32, strided<[200, 100, 10, 1], offset: 11>>
    %alloc_1 = memref.alloc() {alignment = 64 : i64} : memref<1x3x8x8xf32>
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 8 {
          affine.for %arg4 = 0 to 8 {
            %4 = affine.load %1[%arg2] : memref<3xf32>
            affine.store %4, %alloc_1[%arg1, %arg2, %arg3, %arg4] : memref<1x3x8x8xf32>
          }
        }
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 8 {
          affine.for %arg4 = 0 to 8 {
            affine.for %arg5 = 0 to 2 {
              affine.for %arg6 = 0 to 3 {
                affine.for %arg7 = 0 to 3 {
                  %4 = affine.load %alloc[%arg1, %arg5, %arg3 + %arg6, %arg4 + %arg7] : memref<1x2x10x10xf32>
                  %5 = affine.load %0[%arg2, %arg5, %arg6, %arg7] : memref<3x2x3x3xf32>
                  %6 = affine.load %alloc_1[%arg1, %arg2, %arg3, %arg4] : memref<1x3x8x8xf32>
                  %7 = arith.mulf %4, %5 : f32
                  %8 = arith.addf %6, %7 : f32
                  affine.store %8, %alloc_1[%arg1, %arg2, %arg3, %arg4] : memref<1x3x8x8xf32>
                }
              }
            }
          }
        }
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 8 {
          affine.for %arg4 = 0 to 8 {
            %4 = affine.load %alloc_1[%arg1, %arg2, %arg3, %arg4] : memref<1x3x8x8xf32>
            %5 = arith.cmpf ugt, %4, %cst_0 : f32
            %6 = arith.select %5, %4, %cst_0 : f32
            affine.store %6, %alloc_1[%arg1, %arg2, %arg3, %arg4] : memref<1x3x8x8xf32>
          }
        }
      }
    }
    %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<1x3x4x4xf32>
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 4 {
          affine.for %arg4 = 0 to 4 {
            affine.store %cst_0, %alloc_2[%arg1, %arg2, %arg3, %arg4] : memref<1x3x4x4xf32>
          }
        }
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 4 {
          affine.for %arg4 = 0 to 4 {
            affine.for %arg5 = 0 to 2 {
              affine.for %arg6 = 0 to 2 {
                %4 = affine.load %alloc_1[%arg1, %arg2, %arg3 * 2 + %arg5, %arg4 * 2 + %arg6] : memref<1x3x8x8xf32>
                %5 = affine.load %alloc_2[%arg1, %arg2, %arg3, %arg4] : memref<1x3x4x4xf32>
                %6 = arith.addf %5, %4 : f32
                affine.store %6, %alloc_2[%arg1, %arg2, %arg3, %arg4] : memref<1x3x4x4xf32>
              }
            }
          }
        }
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to 4 {
          affine.for %arg4 = 0 to 4 {
            %4 = affine.load %alloc_2[%arg1, %arg2, %arg3, %arg4] : memref<1x3x4x4xf32>
            %5 = arith.divf %4, %cst : f32
            affine.store %5, %alloc_2[%arg1, %arg2, %arg3, %arg4] : memref<1x3x4x4xf32>
          }
        }
      }
    }
    %collapse_shape = memref.collapse_shape %alloc_2 [[0], [1, 2, 3]] : memref<1x3x4x4xf32> into memref<1x48xf32>
    %alloc_3 = memref.alloc() {alignment = 64 : i64} : memref<48x5xf32>
    affine.for %arg1 = 0 to 48 {
      affine.for %arg2 = 0 to 5 {
        %4 = affine.load %2[%arg2, %arg1] : memref<5x48xf32>
        affine.store %4, %alloc_3[%arg1, %arg2] : memref<48x5xf32>
      }
    }
    %alloc_4 = memref.alloc() {alignment = 64 : i64} : memref<1x5xf32>
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 5 {
        affine.store %cst_0, %alloc_4[%arg1, %arg2] : memref<1x5xf32>
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 5 {
        affine.for %arg3 = 0 to 48 {
          %4 = affine.load %collapse_shape[%arg1, %arg3] : memref<1x48xf32>
          %5 = affine.load %alloc_3[%arg3, %arg2] : memref<48x5xf32>
          %6 = affine.load %alloc_4[%arg1, %arg2] : memref<1x5xf32>
          %7 = arith.mulf %4, %5 : f32
          %8 = arith.addf %6, %7 : f32
          affine.store %8, %alloc_4[%arg1, %arg2] : memref<1x5xf32>
        }
      }
    }
    affine.for %arg1 = 0 to 1 {
      affine.for %arg2 = 0 to 5 {
        %4 = affine.load %alloc_4[%arg1, %arg2] : memref<1x5xf32>
        %5 = affine.load %3[%arg2] : memref<5xf32>
        %6 = arith.addf %4, %5 : f32
        affine.store %6, %alloc_4[%arg1, %arg2] : memref<1x5xf32>
      }
    }
    return %alloc_4 : memref<1x5xf32>
  }
}
