// RUN: terrace run %s --target emulator --arch sm_90 --verify --reassociate | FileCheck %s --check-prefixes=CHECK,ADDED

// Parts of k of a triangle.
// ADDED: 256x1x1
// CHECK: verify   passed
func.func @triangle(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["K", "M"], terrace.init = "random:1040x70:1"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "M"], terrace.init = "random:70x70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %K = memref.dim %A, %c0 : memref<?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %M {
      affine.store %zero, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %K {
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %b = affine.load %A[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
      %2 = affine.load %C[%i, %j] : memref<?x?xf64>
      affine.store %2, %C[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
