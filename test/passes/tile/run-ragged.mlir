// Folds of rows whose lengths differ: up to the diagonal, twice as far but not beyond the row, and none at all.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=5 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=1500 --size M=3 | FileCheck %s
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES-NOT:     gpu.mapper = "loops"
// TILES-COUNT-2: gpu.mapper = "tile"
// TILES-NOT:     gpu.mapper = "loops"
func.func @ragged(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:70x333:1"},
                  %S: memref<?xf32> {terrace.dims = ["M"], terrace.init = "zeros:70"},
                  %T: memref<?xi32> {terrace.dims = ["M"], terrace.init = "zeros:70"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %s = affine.for %j = 0 to min affine_map<(d0)[s0] -> (d0 * 2 + 1, s0)>(%i)[%n] iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.store %s, %S[%i] : memref<?xf32>
  }
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %s = affine.for %j = 0 to min affine_map<(d0)[s0] -> (d0 - 3, s0)>(%i)[%n] iter_args(%t = %none) -> (i32) {
      %x = affine.load %A[%i, -%j + symbol(%n) - 1] : memref<?x?xf32>
      %c = arith.cmpf ogt, %x, %half : f32
      %u = arith.addi %t, %one : i32
      %r = arith.select %c, %u, %t : i32
      affine.yield %r : i32
    }
    affine.store %s, %T[%i] : memref<?xi32>
  }
  return
}
