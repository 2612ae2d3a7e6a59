// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --arg first=1 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_80 --verify --allow-tf32 --size N=47 --size K=33 --arg n=47 --arg k=33 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --allow-tf32 --schedule %S/Inputs/contraction-aligned.mlir | FileCheck %s

// Rows that begin at multiples of 16 bytes, of which the loops leave the last elements, or
// those and the first; or rows that begin anywhere.
// CHECK: verify   passed
func.func @parts(
    %first: index {terrace.name = "first", terrace.init = "0"},
    %n: index {terrace.name = "n", terrace.init = "131"},
    %k: index {terrace.name = "k", terrace.init = "37"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "K"], terrace.init = "random:132x40:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:40x132:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["N", "N"], terrace.init = "random:132x132:3"},
    %E: memref<?x?xf32> {terrace.name = "E", terrace.dims = ["K", "N"], terrace.init = "random:40x132:4"},
    %F: memref<?x?xf32> {terrace.name = "F", terrace.dims = ["N", "K"], terrace.init = "random:132x40:5"},
    %G: memref<?x?xf32> {terrace.name = "G", terrace.dims = ["N", "N"], terrace.init = "random:132x132:6"}) {
  affine.for %p = %first to %n {
    affine.for %q = %first to %n {
      affine.for %l = %first to %k {
        %a = affine.load %A[%p, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %q] : memref<?x?xf64>
        %c = affine.load %C[%p, %q] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%p, %q] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = %first to %n {
    affine.for %j = %first to %n {
      affine.for %l = %first to %k {
        %e = affine.load %E[%l, %i] : memref<?x?xf32>
        %f = affine.load %F[%j, %l] : memref<?x?xf32>
        %g = affine.load %G[%i, %j] : memref<?x?xf32>
        %0 = arith.mulf %e, %f : f32
        %1 = arith.addf %g, %0 : f32
        affine.store %1, %G[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
