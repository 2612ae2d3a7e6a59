// RUN: terrace-opt %s -affine-ping-pong -o %t.mlir
// RUN: terrace run %s --target interp --arg T=0 --size N=7 --size M=5 --out p=%t.0.p.npy --out w=%t.0.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=0 --size N=7 --size M=5 --out p=%t.0.pp.npy --out w=%t.0.ww.npy
// RUN: cmp %t.0.p.npy %t.0.pp.npy
// RUN: cmp %t.0.w.npy %t.0.ww.npy
// RUN: terrace run %s --target interp --arg T=1 --size N=7 --size M=5 --out p=%t.1.p.npy --out w=%t.1.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=1 --size N=7 --size M=5 --out p=%t.1.pp.npy --out w=%t.1.ww.npy
// RUN: cmp %t.1.p.npy %t.1.pp.npy
// RUN: cmp %t.1.w.npy %t.1.ww.npy
// RUN: terrace run %s --target interp --arg T=4 --size N=7 --size M=5 --out p=%t.2.p.npy --out w=%t.2.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=4 --size N=7 --size M=5 --out p=%t.2.pp.npy --out w=%t.2.ww.npy
// RUN: cmp %t.2.p.npy %t.2.pp.npy
// RUN: cmp %t.2.w.npy %t.2.ww.npy
// RUN: terrace run %s --target interp --arg T=5 --size N=7 --size M=5 --out p=%t.3.p.npy --out w=%t.3.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=5 --size N=7 --size M=5 --out p=%t.3.pp.npy --out w=%t.3.ww.npy
// RUN: cmp %t.3.p.npy %t.3.pp.npy
// RUN: cmp %t.3.w.npy %t.3.ww.npy
// RUN: terrace run %s --target interp --arg T=4 --size N=1 --size M=5 --out p=%t.4.p.npy --out w=%t.4.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=4 --size N=1 --size M=5 --out p=%t.4.pp.npy --out w=%t.4.ww.npy
// RUN: cmp %t.4.p.npy %t.4.pp.npy
// RUN: cmp %t.4.w.npy %t.4.ww.npy
// RUN: terrace run %s --target interp --arg T=4 --size N=0 --size M=5 --out p=%t.5.p.npy --out w=%t.5.w.npy
// RUN: terrace run %t.mlir --target interp --arg T=4 --size N=0 --size M=5 --out p=%t.5.pp.npy --out w=%t.5.ww.npy
// RUN: cmp %t.5.p.npy %t.5.pp.npy
// RUN: cmp %t.5.w.npy %t.5.ww.npy

// Each number of steps leaves both arrays as the program does, also where the box is all
// of a dimension or there is nothing in it.

func.func @rows(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %p: memref<?x?xf32> {terrace.name = "p", terrace.dims = ["N", "M"], terrace.init = "random:7x5:1"},
    %w: memref<?x?xf32> {terrace.name = "w", terrace.dims = ["N", "M"], terrace.init = "random:7x5:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %p, %c0 : memref<?x?xf32>
  %m = memref.dim %p, %c1 : memref<?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[n] -> (n - 2)>()[%m] {
        %0 = affine.load %p[%i - 1, %j + 2] : memref<?x?xf32>
        %1 = affine.load %p[%i + 1, %j] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %w[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[n] -> (n - 2)>()[%m] {
        %0 = affine.load %w[%i, %j] : memref<?x?xf32>
        affine.store %0, %p[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
