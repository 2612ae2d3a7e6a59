// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_80 --verify --allow-tf32 --size M=129 --arg n=131 --size R=1 | FileCheck %s

// Products side by side with two counters, the loops in another order, heads beside each other
// in rows of one factor, the other one for all of the batch; something for each head is added
// behind.
// CHECK: verify   passed
func.func @heads(
    %n: index {terrace.name = "n", terrace.init = "40"},
    %A: memref<?x?x64xf32> {terrace.name = "A", terrace.dims = ["R", "M", "64"], terrace.init = "random:3x50x64:1"},
    %B: memref<4x?x16xf32> {terrace.name = "B", terrace.dims = ["4", "N", "16"], terrace.init = "random:4x135x16:2"},
    %bias: memref<?x4xf32> {terrace.name = "bias", terrace.dims = ["R", "4"], terrace.init = "random:3x4:4"},
    %C: memref<?x?x4x?xf32> {terrace.name = "C", terrace.dims = ["M", "R", "4", "N"], terrace.init = "random:50x3x4x135:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %R = memref.dim %A, %c0 : memref<?x?x64xf32>
  %M = memref.dim %A, %c1 : memref<?x?x64xf32>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %n {
      affine.for %h = 0 to 4 {
        affine.for %r = 0 to %R {
          %0 = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          %1 = arith.mulf %0, %two : f32
          affine.store %1, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          affine.for %k = 0 to 16 {
            %a = affine.load %A[%r, %i, %h * 16 + %k] : memref<?x?x64xf32>
            %b = affine.load %B[%h, %j, %k] : memref<4x?x16xf32>
            %c = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
            %2 = arith.mulf %a, %b : f32
            %3 = arith.addf %c, %2 : f32
            affine.store %3, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          }
          %4 = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          %5 = affine.load %bias[%r, %h] : memref<?x4xf32>
          %6 = arith.addf %4, %5 : f32
          affine.store %6, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
        }
      }
    }
  }
  return
}
