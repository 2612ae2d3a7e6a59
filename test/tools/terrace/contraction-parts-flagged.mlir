// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --target emulator --arch sm_80 --verify --allow-tf32 --size K=4200 | FileCheck %s --check-prefixes=CHECK,ADDED

// Parts of k, which the sum itself allows. It is in memory, scaled before, taken away from; rows
// and columns begin at 1; for each of two products side by side.
// ADDED: 20x12x1
// CHECK: verify   passed
func.func @flagged(
    %A: memref<2x?x?xf32> {terrace.name = "A", terrace.dims = ["2", "K", "M"], terrace.init = "random:2x1100x21:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "K"], terrace.init = "random:37x1100:2"},
    %C: memref<?x2x?xf32> {terrace.name = "C", terrace.dims = ["M", "2", "N"], terrace.init = "random:21x2x37:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %K = memref.dim %A, %c1 : memref<2x?x?xf32>
  %M = memref.dim %A, %c2 : memref<2x?x?xf32>
  %N = memref.dim %B, %c0 : memref<?x?xf32>
  affine.for %q = 0 to 2 {
    affine.for %i = 1 to %M {
      affine.for %j = 1 to %N {
        %0 = affine.load %C[%i, %q, %j] : memref<?x2x?xf32>
        %1 = arith.mulf %0, %half : f32
        affine.store %1, %C[%i, %q, %j] : memref<?x2x?xf32>
        affine.for %k = 3 to %K {
          %a = affine.load %A[%q, %k, %i] : memref<2x?x?xf32>
          %b = affine.load %B[%j, %k] : memref<?x?xf32>
          %c = affine.load %C[%i, %q, %j] : memref<?x2x?xf32>
          %2 = arith.mulf %a, %b : f32
          %3 = arith.subf %c, %2 fastmath<reassoc> : f32
          affine.store %3, %C[%i, %q, %j] : memref<?x2x?xf32>
        }
      }
    }
  }
  return
}
