// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size J=132 --arg T=10 | FileCheck %s

// Rows of odd and even length, fewer steps than a launch has, one launch, and several.
// CHECK: verify   passed against the interpreter, largest relative error 0.00e0

func.func @plane(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["I", "J"], terrace.init = "random:131x133:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["I", "J"], terrace.init = "random:131x133:2"}) {
  %c = arith.constant 0.25 : f64
  %c0 = arith.constant 0 : index
  %n0 = memref.dim %A, %c0 : memref<?x?xf64>
  %c1 = arith.constant 1 : index
  %n1 = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        %v0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %v1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %s1 = arith.addf %v0, %v1 : f64
        %v2 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %s2 = arith.addf %s1, %v2 : f64
        %v3 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %s3 = arith.addf %s2, %v3 : f64
        %v4 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %s4 = arith.addf %s3, %v4 : f64
        %w = arith.mulf %s4, %c : f64
        affine.store %w, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        %v0 = affine.load %B[%i, %j] : memref<?x?xf64>
        %v1 = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %s1 = arith.addf %v0, %v1 : f64
        %v2 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %s2 = arith.addf %s1, %v2 : f64
        %w = arith.mulf %s2, %c : f64
        affine.store %w, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
