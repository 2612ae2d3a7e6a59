// RUN: terrace run %s --target emulator --arch sm_90 --verify --reassociate | FileCheck %s --check-prefixes=CHECK,ADDED

// Parts of k with factors of 16 bits; rounded when all parts have been added.
// ADDED: 256x1x1
// CHECK: verify   passed
func.func @halves(
    %A: memref<?x?xf16> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:9x8200:1"},
    %B: memref<?x?xf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:8200x11:2"},
    %C: memref<?x?xf16> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:9x11"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
        %a16 = affine.load %A[%i, %k] : memref<?x?xf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f32
        %b = arith.extf %b16 : f16 to f32
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        affine.yield %next : f32
      }
      %c = arith.truncf %dot : f32 to f16
      affine.store %c, %C[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
