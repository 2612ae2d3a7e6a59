// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-temporal-blocking='steps=3 rows=1 warps=8 cells=1 least-box=1' | terrace run - --target emulator | FileCheck %s

// Blocks with neighbours on all sides.
// CHECK: array    A {{.*}}checksum sum 2.8882555058e5 weighted 1.4416785048e5
// CHECK: array    B {{.*}}checksum sum 2.9555306177e5 weighted 1.4751667725e5

// Boxes of two and of five planes: the marches at their begin and end have all of the one, and
// leave one plane of the other.
// RUN: terrace run %s --arg A=random:4x14x92:1 --arg B=random:4x14x92:2 --target interp | FileCheck %s --check-prefix=TWO
// RUN: terrace-opt %s -gpu-temporal-blocking='steps=3 rows=1 warps=8 cells=1 least-box=1' | terrace run - --arg A=random:4x14x92:1 --arg B=random:4x14x92:2 --target emulator | FileCheck %s --check-prefix=TWO
// TWO: array    A {{.*}}checksum sum 7.8492711667e3 weighted 3.8625221363e3
// TWO: array    B {{.*}}checksum sum 8.8985132197e3 weighted 4.3847871199e3
// RUN: terrace run %s --arg A=random:7x14x92:1 --arg B=random:7x14x92:2 --target interp | FileCheck %s --check-prefix=FIVE
// RUN: terrace-opt %s -gpu-temporal-blocking='steps=3 rows=1 warps=8 cells=1 least-box=1' | terrace run - --arg A=random:7x14x92:1 --arg B=random:7x14x92:2 --target emulator | FileCheck %s --check-prefix=FIVE
// FIVE: array    A {{.*}}checksum sum 2.9561694704e4 weighted 1.4701344884e4
// FIVE: array    B {{.*}}checksum sum 3.1499896307e4 weighted 1.5666110400e4

func.func @cube(
    %T: index {terrace.name = "T", terrace.init = "5"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["I", "J", "K"], terrace.init = "random:40x14x92:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["I", "J", "K"], terrace.init = "random:40x14x92:2"}) {
  %c = arith.constant 0.25 : f64
  %c0 = arith.constant 0 : index
  %n0 = memref.dim %A, %c0 : memref<?x?x?xf64>
  %c1 = arith.constant 1 : index
  %n1 = memref.dim %A, %c1 : memref<?x?x?xf64>
  %c2 = arith.constant 2 : index
  %n2 = memref.dim %A, %c2 : memref<?x?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%n2] {
          %v0 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %v1 = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %s1 = arith.addf %v0, %v1 : f64
          %v2 = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %s2 = arith.addf %s1, %v2 : f64
          %v3 = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %s3 = arith.addf %s2, %v3 : f64
          %v4 = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %s4 = arith.addf %s3, %v4 : f64
          %v5 = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %s5 = arith.addf %s4, %v5 : f64
          %v6 = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %s6 = arith.addf %s5, %v6 : f64
          %w = arith.mulf %s6, %c : f64
          affine.store %w, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n0] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n1] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%n2] {
          %v0 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %v1 = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %s1 = arith.addf %v0, %v1 : f64
          %v2 = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %s2 = arith.addf %s1, %v2 : f64
          %v3 = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %s3 = arith.addf %s2, %v3 : f64
          %w = arith.mulf %s3, %c : f64
          affine.store %w, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
