// RUN: terrace run %s --target emulator --verify | FileCheck %s

// Distances of two, in one direction alone, of single precision.
// CHECK: verify   passed against the interpreter, largest relative error 0.00e0

func.func @far(
    %T: index {terrace.name = "T", terrace.init = "5"},
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["I", "J"], terrace.init = "random:141x259:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["I", "J"], terrace.init = "random:141x259:2"}) {
  %c = arith.constant 0.25 : f32
  %c0 = arith.constant 0 : index
  %n0 = memref.dim %A, %c0 : memref<?x?xf32>
  %c1 = arith.constant 1 : index
  %n1 = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 2 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 2 to affine_map<()[n] -> (n - 1)>()[%n1] {
        %v0 = affine.load %A[%i, %j] : memref<?x?xf32>
        %v1 = affine.load %A[%i - 2, %j + 1] : memref<?x?xf32>
        %s1 = arith.addf %v0, %v1 : f32
        %v2 = affine.load %A[%i, %j - 2] : memref<?x?xf32>
        %s2 = arith.addf %s1, %v2 : f32
        %v3 = affine.load %A[%i + 1, %j] : memref<?x?xf32>
        %s3 = arith.addf %s2, %v3 : f32
        %w = arith.mulf %s3, %c : f32
        affine.store %w, %B[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 2 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 2 to affine_map<()[n] -> (n - 1)>()[%n1] {
        %v0 = affine.load %B[%i + 1, %j + 1] : memref<?x?xf32>
        %v1 = affine.load %B[%i - 1, %j - 1] : memref<?x?xf32>
        %s1 = arith.addf %v0, %v1 : f32
        %v2 = affine.load %B[%i, %j] : memref<?x?xf32>
        %s2 = arith.addf %s1, %v2 : f32
        %w = arith.mulf %s2, %c : f32
        affine.store %w, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
