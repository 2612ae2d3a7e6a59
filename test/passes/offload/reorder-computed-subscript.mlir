// A subscript that is computed in a loop: distribution makes it anew, and what was
// noted before is gone.
//
// RUN: terrace-opt %s -offload-parallelize | FileCheck %s
// CHECK: func.func @f
// CHECK: affine.parallel
#map = affine_map<()[s0] -> (s0 + 1)>
#map1 = affine_map<()[s0] -> (s0 - 1)>
#map2 = affine_map<()[s0] -> (s0 - 2)>
module {
  func.func @f(%arg0: i32 {acc.access = "read", acc.name = "n"}, %arg1: memref<?x60xf64> {acc.access = "readwrite", acc.name = "p"}, %arg2: memref<?x60xf64> {acc.access = "readwrite", acc.name = "v"}, %arg3: memref<?x60xf64> {acc.access = "readwrite", acc.name = "q"}, %arg4: memref<?x60xf64> {acc.access = "readwrite", acc.name = "u"}) attributes {acc.region = {construct = "auto", source = "scop"}} {
    %cst = arith.constant 1.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %c-2 = arith.constant -2 : index
    %cst_0 = arith.constant 0.000000e+00 : f64
    %0 = arith.index_cast %arg0 : i32 to index
    affine.for %arg5 = 1 to #map()[%0] {
      affine.for %arg6 = 1 to #map1()[%0] {
        affine.store %cst_0, %arg1[%arg6, 0] : memref<?x60xf64>
        affine.for %arg7 = 0 to #map2()[%0] {
          %8 = affine.load %arg1[%arg6, -%arg7 + symbol(%0) - 2] : memref<?x60xf64>
          %9 = affine.load %arg2[-%arg7 + symbol(%0) - 1, %arg6] : memref<?x60xf64>
          %10 = arith.mulf %8, %9 : f64
          %11 = affine.load %arg3[%arg6, -%arg7 + symbol(%0) - 2] : memref<?x60xf64>
          %12 = arith.addf %10, %11 : f64
          affine.store %12, %arg2[-%arg7 + symbol(%0) - 2, %arg6] : memref<?x60xf64>
        }
        %1 = arith.addi %0, %c-2 : index
        %2 = arith.minsi %1, %c0 : index
        %3 = affine.load %arg1[%arg6, symbol(%2) - 1] : memref<?x60xf64>
        %4 = arith.addf %3, %cst : f64
        affine.store %4, %arg1[%arg6, symbol(%2)] : memref<?x60xf64>
        %5 = affine.load %arg4[symbol(%2), %arg6 - 1] : memref<?x60xf64>
        %6 = affine.load %arg3[%arg6, symbol(%2) - 1] : memref<?x60xf64>
        %7 = arith.addf %5, %6 : f64
        affine.store %7, %arg3[%arg6, symbol(%2)] : memref<?x60xf64>
      }
      affine.for %arg6 = 1 to #map1()[%0] {
        affine.for %arg7 = 1 to #map1()[%0] {
          %1 = affine.load %arg2[%arg7, %arg6] : memref<?x60xf64>
          %2 = affine.load %arg3[%arg6, %arg7] : memref<?x60xf64>
          %3 = arith.addf %1, %2 : f64
          affine.store %3, %arg4[%arg6, %arg7] : memref<?x60xf64>
        }
      }
    }
    return
  }
}
