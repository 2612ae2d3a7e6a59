// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --schedule %S/Inputs/contraction-large.mlir | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size R=9 --size Q=8 --size P=130 | FileCheck %s

// Rows by two counters, of which the inner has fewer numbers than rows of a thread are
// apart, or more. Few blocks are narrow ones, 96 columns wide, which three rounds of the
// threads fill; a schedule asks for the large ones.
// CHECK: verify   passed
func.func @rows_by_two(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "Q", "S"], terrace.init = "random:30x5x37:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["S", "P"], terrace.init = "random:37x101:2"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "Q", "P"], terrace.init = "random:30x5x101:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %Q = memref.dim %A, %c1 : memref<?x?x?xf64>
  %S = memref.dim %A, %c2 : memref<?x?x?xf64>
  %P = memref.dim %B, %c1 : memref<?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        affine.for %s = 0 to %S {
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %b = affine.load %B[%s, %p] : memref<?x?xf64>
          %c = affine.load %C[%r, %q, %p] : memref<?x?x?xf64>
          %0 = arith.mulf %a, %b : f64
          %1 = arith.addf %c, %0 : f64
          affine.store %1, %C[%r, %q, %p] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
