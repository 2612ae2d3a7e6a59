// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_80 --verify --size M=40 --size N=48 --size K=24 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --schedule %S/Inputs/contraction-batch-halves.mlir --size N=48 --size K=40 | FileCheck %s

// Products side by side of 16 bits: one factor for all, which with wider elements would be one
// product with rows by two counters.
// CHECK: verify   passed
func.func @halves(
    %A: memref<?x?x?xbf16> {terrace.name = "A", terrace.dims = ["R", "M", "K"], terrace.init = "random:3x67x36:1"},
    %B: memref<?x?xbf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:36x45:2"},
    %C: memref<?x?x?xbf16> {terrace.name = "C", terrace.dims = ["R", "M", "N"], terrace.init = "zeros:3x67x45"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %R = memref.dim %A, %c0 : memref<?x?x?xbf16>
  %M = memref.dim %A, %c1 : memref<?x?x?xbf16>
  %K = memref.dim %A, %c2 : memref<?x?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to %N {
        %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
          %a16 = affine.load %A[%r, %i, %k] : memref<?x?x?xbf16>
          %b16 = affine.load %B[%k, %j] : memref<?x?xbf16>
          %a = arith.extf %a16 : bf16 to f32
          %b = arith.extf %b16 : bf16 to f32
          %0 = arith.mulf %a, %b : f32
          %next = arith.addf %sum, %0 : f32
          affine.yield %next : f32
        }
        %c = arith.truncf %dot : f32 to bf16
        affine.store %c, %C[%r, %i, %j] : memref<?x?x?xbf16>
      }
    }
  }
  return
}
