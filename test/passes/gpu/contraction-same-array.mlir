// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=VERIFY

// A factor is another part of the array of the sums, which the nest does not write: no copy of it
// is made. Its last columns lie beside the first ones that are written, so that what is loaded 16
// bytes at a time must end there.
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch
// VERIFY: verify   passed
func.func @same(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:70x160:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:33x160:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 33 to %N {
      affine.for %k = 0 to 33 {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %A[%i, %j] : memref<?x?xf64>
        %s = arith.subf %c, %p : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
