// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_80 --verify --size R=2 --size M=130 --size N=70 --size K=20 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size R=0 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size M=5 --size N=6 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --schedule %S/Inputs/contraction-batch.mlir --size N=46 --size K=22 | FileCheck %s

// Products side by side on the emulator, which looks for races: any sizes, none at all, and
// such that loops are taken.
// CHECK: verify   passed
func.func @doubles(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "M", "K"], terrace.init = "random:3x67x21:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["R", "N", "K"], terrace.init = "random:3x45x21:2"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "M", "N"], terrace.init = "random:3x67x45:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?x?xf64>
  %K = memref.dim %A, %c2 : memref<?x?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to %N {
        %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
          %a = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %b = affine.load %B[%r, %j, %k] : memref<?x?x?xf64>
          %0 = arith.mulf %a, %b : f64
          %next = arith.addf %sum, %0 : f64
          affine.yield %next : f64
        }
        %old = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
        %new = arith.mulf %alpha, %dot : f64
        %c = arith.subf %old, %new : f64
        affine.store %c, %C[%r, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}
