// Loops that go along columns one after another: taken apart where the columns are too few for a thread each, with a
// triangle that becomes a box and values that are loaded again rather than kept.
//
// RUN: terrace run %s --target emulator --verify --reassociate --size M=3 --size N=300 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=100 --size N=1 | FileCheck %s
// RUN: terrace-opt %s --tile-distribute-nests='reassociate=true' | FileCheck %s --check-prefix=PARTS
//
// CHECK: verify   passed
//
// PARTS-LABEL: func.func @columns
// PARTS:       %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// PARTS:       scf.if %[[FEW]] {
// PARTS:         affine.parallel (%{{.*}}) = (0) to (symbol(%[[N:.*]])) {
// PARTS-NEXT:      affine.load
// PARTS-NEXT:      affine.for
// PARTS:         affine.parallel (%[[J:.*]]) = (0) to (symbol(%[[N]])) {
// PARTS-NEXT:      affine.parallel (%[[I:.*]]) = (0)
// PARTS-NEXT:        affine.if
// PARTS-NEXT:          affine.load %{{.*}}[%[[J]]]
// PARTS:       } else {
// PARTS:         affine.parallel (%{{.*}}) = (0) to (symbol(%[[N]])) {
// PARTS:           affine.parallel
func.func @columns(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:50x70:1"},
                   %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:50x70:2"},
                   %W: memref<?xf32> {terrace.dims = ["N"], terrace.init = "random:70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %w = affine.load %W[%j] : memref<?xf32>
    %sum = affine.for %i = 0 to %m iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.parallel (%i) = (0) to (min(symbol(%m), %j + 1)) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %sum : f32
      %z = arith.addf %y, %w : f32
      affine.store %z, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
