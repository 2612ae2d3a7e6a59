// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size N=270 --size K=7 | FileCheck %s

// Of the tiles of a triangle some are wholly inside, which are stored without conditions;
// the sums are copied to the other triangle too.
// CHECK: verify   passed
func.func @triangle(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "K"], terrace.init = "random:384x12:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "K"], terrace.init = "random:384x12:2"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["N", "N"], terrace.init = "random:384x384:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %A, %c0 : memref<?x?xf32>
  %K = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %N {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%j, %k] : memref<?x?xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        affine.yield %next : f32
      }
      affine.store %dot, %C[%i, %j] : memref<?x?xf32>
      affine.store %dot, %C[%j, %i] : memref<?x?xf32>
    }
  }
  return
}
