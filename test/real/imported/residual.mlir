// Printed by MLIR 22: terrace-mlir --lower --plain Inputs/models/residual.mlir
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @

#map = affine_map<()[s0] -> (s0 + 2)>
module attributes {torch.debug_module_name = "ResBlock"} {
  memref.global "private" constant @__constant_3xf32_0 : memref<3xf32> = dense<5.000000e-01> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3xf32 : memref<3xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3x3x3x3xf32 : memref<3x3x3x3xf32> = dense_resource<torch_tensor_3_3_3_3_torch.float32> {alignment = 64 : i64}
  func.func @forward(%arg0: memref<?x3x?x?xf32>) -> (memref<?x3x?x?xf32>, memref<?x3xi64>) {
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %cst_1 = arith.constant 1.000000e-05 : f64
    %c0_i64 = arith.constant 0 : i64
    %cst_2 = arith.constant 0xFF800000 : f32
    %c1_i64 = arith.constant 1 : i64
    %0 = memref.get_global @__constant_3x3x3x3xf32 : memref<3x3x3x3xf32>
    %1 = memref.get_global @__constant_3xf32 : memref<3xf32>
    %dim = memref.dim %arg0, %c0 : memref<?x3x?x?xf32>
    %dim_3 = memref.dim %arg0, %c2 : memref<?x3x?x?xf32>
    %dim_4 = memref.dim %arg0, %c3 : memref<?x3x?x?xf32>
    %2 = arith.index_cast %dim_3 : index to i64
    %3 = arith.cmpi sge, %2, %c1_i64 : i64
    cf.assert %3, "height is positive"
    %4 = affine.apply #map()[%dim_3]
    %5 = affine.apply #map()[%dim_4]
    %alloc = memref.alloc(%dim, %4, %5) {alignment = 64 : i64} : memref<?x3x?x?xf32>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to #map()[%dim_3] {
          affine.for %arg4 = 0 to #map()[%dim_4] {
            affine.store %cst_0, %alloc[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
          }
        }
      }
    }
    %subview = memref.subview %alloc[0, 0, 1, 1] [%dim, 3, %dim_3, %dim_4] [1, 1, 1, 1] : memref<?x3x?x?xf32> to memref<?x3x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
    memref.copy %arg0, %subview : memref<?x3x?x?xf32> to memref<?x3x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
    %alloc_5 = memref.alloc(%dim, %dim_3, %dim_4) {alignment = 64 : i64} : memref<?x3x?x?xf32>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to %dim_3 {
          affine.for %arg4 = 0 to %dim_4 {
            affine.store %cst_0, %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
          }
        }
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to %dim_3 {
          affine.for %arg4 = 0 to %dim_4 {
            affine.for %arg5 = 0 to 3 {
              affine.for %arg6 = 0 to 3 {
                affine.for %arg7 = 0 to 3 {
                  %6 = affine.load %alloc[%arg1, %arg5, %arg3 + %arg6, %arg4 + %arg7] : memref<?x3x?x?xf32>
                  %7 = affine.load %0[%arg2, %arg5, %arg6, %arg7] : memref<3x3x3x3xf32>
                  %8 = affine.load %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
                  %9 = arith.mulf %6, %7 : f32
                  %10 = arith.addf %8, %9 : f32
                  affine.store %10, %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
                }
              }
            }
          }
        }
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to %dim_3 {
          affine.for %arg4 = 0 to %dim_4 {
            %6 = affine.load %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
            %7 = affine.load %1[%arg2] : memref<3xf32>
            %8 = arith.truncf %cst_1 : f64 to f32
            %9 = arith.addf %7, %8 : f32
            %10 = math.rsqrt %9 : f32
            %11 = arith.subf %6, %cst : f32
            %12 = arith.mulf %11, %10 : f32
            %13 = arith.mulf %12, %7 : f32
            %14 = arith.addf %13, %cst : f32
            affine.store %14, %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
          }
        }
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to %dim_3 {
          affine.for %arg4 = 0 to %dim_4 {
            %6 = affine.load %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
            %7 = affine.load %arg0[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
            %8 = arith.addf %6, %7 : f32
            %9 = arith.cmpf ugt, %8, %cst_0 : f32
            %10 = arith.select %9, %8, %cst_0 : f32
            affine.store %10, %alloc_5[%arg1, %arg2, %arg3, %arg4] : memref<?x3x?x?xf32>
          }
        }
      }
    }
    %alloc_6 = memref.alloc(%dim) {alignment = 64 : i64} : memref<?x3xf32>
    %alloc_7 = memref.alloc(%dim) {alignment = 64 : i64} : memref<?x3xi64>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.store %cst_2, %alloc_6[%arg1, %arg2] : memref<?x3xf32>
      }
    }
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to 3 {
        affine.store %c0_i64, %alloc_7[%arg1, %arg2] : memref<?x3xi64>
      }
    }
    %collapse_shape = memref.collapse_shape %alloc_5 [[0], [1], [2, 3]] : memref<?x3x?x?xf32> into memref<?x3x?xf32>
    %dim_8 = memref.dim %collapse_shape, %c0 : memref<?x3x?xf32>
    %dim_9 = memref.dim %collapse_shape, %c2 : memref<?x3x?xf32>
    affine.for %arg1 = 0 to %dim_8 {
      affine.for %arg2 = 0 to 3 {
        affine.for %arg3 = 0 to %dim_9 {
          %6 = affine.load %collapse_shape[%arg1, %arg2, %arg3] : memref<?x3x?xf32>
          %7 = affine.load %alloc_6[%arg1, %arg2] : memref<?x3xf32>
          %8 = affine.load %alloc_7[%arg1, %arg2] : memref<?x3xi64>
          %9 = arith.index_cast %arg3 : index to i64
          %10 = arith.maximumf %6, %7 : f32
          %11 = arith.cmpf ogt, %6, %7 : f32
          %12 = arith.select %11, %9, %8 : i64
          affine.store %10, %alloc_6[%arg1, %arg2] : memref<?x3xf32>
          affine.store %12, %alloc_7[%arg1, %arg2] : memref<?x3xi64>
        }
      }
    }
    return %alloc_5, %alloc_7 : memref<?x3x?x?xf32>, memref<?x3xi64>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_3_3_3_torch.float32: "0x040000009C34BBBED6E2B13E780D873E2FCF7ABE449595BB75E24EBD303B1B3E8CD3933EA3F1CFBE717CF1BE67E9AB3E6BB189BD9349863EF5EBFEBEADB15FBD64DB623EAEDF8ABE85FAE33EE687CD3E8256F0BEC3F8F2BE20A0293D29D8E03E314BF3BDE21991BE58819FBD9121F1BE6E7E8EBE94697EBD773989BB28A988BEDCCB89BEEFFB8FBED67625BD7D4357BE4DFFF4BE05D7AC3EA63C673D9DB5113EE5D0A0BEA62EFC3EE94AB83EB61AC2BEF4512BBECFCC623EA842583E2475DF3E5D869FBD70FAA83E95642E3EC45949BE765DB33D4AD4C33ECA40B13EE623AD3BD146B63DA152EEBE96B783BE5F45983E247CAFBD936BA7BE36E1473DEBE94F3E6AAC323EDA4D00BE5F037ABD410F0A3C08908E3E0B87AB3C139DDABD82DC28BC8DDBF0BE09BCE9BE6543503E6164F73E1DD7BE3D68E8D9BDFDC7A8BEC7B4123BC0D2F63E02828A3E"
    }
  }
#-}
