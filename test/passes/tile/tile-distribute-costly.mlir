// What a part gives to later ones is kept behind the functions and quotients that are computed of it: once for a row,
// not once for each element. What costs little is computed again.
//
// RUN: terrace-opt %s --tile-distribute-nests='reassociate=true' | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s --check-prefix=DONE
//
// DONE: verify   passed
//
// CHECK-LABEL: func.func @rows
// CHECK:       %[[KEPT:.*]] = memref.alloc(
// CHECK:       %[[ROOT:.*]] = math.sqrt
// CHECK-NEXT:  memref.store %[[ROOT]], %[[KEPT]][
// CHECK:       affine.load %[[KEPT]][
// CHECK-NOT:   math.sqrt
// CHECK:       affine.store %{{.*}}, %arg2[
func.func @rows(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:70x333:1"},
                %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"},
                %C: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %last = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.store %u, %B[%i, %j] : memref<?x?xf32>
      affine.yield %u : f32
    }
    %root = math.sqrt %last : f32
    %more = arith.addf %root, %half : f32
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %more : f32
      affine.store %y, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
