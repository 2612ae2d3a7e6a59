// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s

// Products side by side of which a triangle is computed.
// CHECK: verify   passed
func.func @triangle(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "K", "M"], terrace.init = "random:3x19x70:1"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "M", "M"], terrace.init = "random:3x70x70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?x?xf64>
  %M = memref.dim %A, %c2 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        affine.for %k = 0 to %K {
          %a = affine.load %A[%r, %k, %i] : memref<?x?x?xf64>
          %b = affine.load %A[%r, %k, %j] : memref<?x?x?xf64>
          %c = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
          %0 = arith.mulf %a, %b : f64
          %1 = arith.addf %c, %0 : f64
          affine.store %1, %C[%r, %i, %j] : memref<?x?x?xf64>
        }
        %2 = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
        affine.store %2, %C[%r, %j, %i] : memref<?x?x?xf64>
      }
    }
  }
  return
}
