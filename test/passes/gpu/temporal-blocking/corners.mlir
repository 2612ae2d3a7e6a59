// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-temporal-blocking='steps=3 rows=1 warps=8 cells=1 least-box=1' | terrace run - --target emulator | FileCheck %s

// Neighbours at corners come from other warps and lanes at once.
// CHECK: array    A {{.*}}checksum sum 1.3754210610e4 weighted 6.8830731178e3
// CHECK: array    B {{.*}}checksum sum 1.6370848508e4 weighted 8.1753131648e3

func.func @corners(
    %T: index {terrace.name = "T", terrace.init = "3"},
    %A: memref<?x?x?xf32> {terrace.name = "A", terrace.dims = ["I", "J", "K"], terrace.init = "random:40x13x91:1"},
    %B: memref<?x?x?xf32> {terrace.name = "B", terrace.dims = ["I", "J", "K"], terrace.init = "random:40x13x91:2"}) {
  %c = arith.constant 0.25 : f32
  %c0 = arith.constant 0 : index
  %n0 = memref.dim %A, %c0 : memref<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %n1 = memref.dim %A, %c1 : memref<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %n2 = memref.dim %A, %c2 : memref<?x?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%n2] {
          %v0 = affine.load %A[%i, %j, %k] : memref<?x?x?xf32>
          %v1 = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf32>
          %s1 = arith.addf %v0, %v1 : f32
          %v2 = affine.load %A[%i - 1, %j - 1, %k - 1] : memref<?x?x?xf32>
          %s2 = arith.addf %s1, %v2 : f32
          %v3 = affine.load %A[%i - 1, %j + 1, %k - 1] : memref<?x?x?xf32>
          %s3 = arith.addf %s2, %v3 : f32
          %w = arith.mulf %s3, %c : f32
          affine.store %w, %B[%i, %j, %k] : memref<?x?x?xf32>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%n2] {
          %v0 = affine.load %B[%i, %j, %k] : memref<?x?x?xf32>
          %v1 = affine.load %B[%i, %j - 1, %k - 1] : memref<?x?x?xf32>
          %s1 = arith.addf %v0, %v1 : f32
          %v2 = affine.load %B[%i, %j + 1, %k + 1] : memref<?x?x?xf32>
          %s2 = arith.addf %s1, %v2 : f32
          %w = arith.mulf %s2, %c : f32
          affine.store %w, %A[%i, %j, %k] : memref<?x?x?xf32>
        }
      }
    }
  }
  return
}
