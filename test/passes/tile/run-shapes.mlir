// Folds in other shapes than one loop in steps of one: of every second column or row, backwards, over two loops with a
// load between them, under conditions, and as parallel loops that combine.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=7 --size M=1000 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=129 --size M=3 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --index-bitwidth 32 | FileCheck %s
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES-COUNT-7: gpu.mapper = "tile"
func.func @shapes(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:300x41:1"},
                  %B: memref<?xf32> {terrace.dims = ["N"], terrace.init = "zeros:41"},
                  %C: memref<?xi32> {terrace.dims = ["N"], terrace.init = "zeros:41"},
                  %D: memref<?xf32> {terrace.dims = ["N"], terrace.init = "zeros:41"},
                  %E: memref<?xf32> {terrace.dims = ["M"], terrace.init = "zeros:300"},
                  %W: memref<?xf32> {terrace.dims = ["M"], terrace.init = "random:300:3"},
                  %G: memref<?xf32> {terrace.dims = ["N"], terrace.init = "zeros:41"},
                  %S: memref<3xf32> {terrace.init = "zeros:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // Every second column, whose elements are two apart.
  affine.parallel (%j) = (0) to (symbol(%n)) step (2) {
    %s = affine.for %i = 0 to %m iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.store %s, %B[%j] : memref<?xf32>
  }
  // Counted under a condition, columns backwards, every third row.
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %s = affine.for %i = 0 to %m step 3 iter_args(%t = %none) -> (i32) {
      %x = affine.load %A[%i, -%j + symbol(%n) - 1] : memref<?x?xf32>
      %c = arith.cmpf ogt, %x, %half : f32
      %r = scf.if %c -> (i32) {
        %u = arith.addi %t, %one : i32
        scf.yield %u : i32
      } else {
        scf.yield %t : i32
      }
      affine.yield %r : i32
    }
    affine.store %s, %C[%j] : memref<?xi32>
  }
  // A parallel loop that combines.
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %s = affine.parallel (%i) = (0) to (symbol(%m)) reduce ("maximumf") -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.yield %x : f32
    }
    affine.store %s, %D[%j] : memref<?xf32>
  }
  // Selected, along rows backwards.
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %s = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, -%j + symbol(%n) - 1] : memref<?x?xf32>
      %c = arith.cmpf ogt, %x, %half : f32
      %u = arith.addf %t, %x : f32
      %r = arith.select %c, %u, %t : f32
      affine.yield %r : f32
    }
    affine.store %s, %E[%i] : memref<?xf32>
  }
  // Two loops, the outer one along what lies next to each other, with a load between them.
  affine.parallel (%k) = (0) to (3) {
    %s = affine.for %i = 0 to %m iter_args(%t = %zero) -> (f32) {
      %w = affine.load %W[%i] : memref<?xf32>
      %r = affine.for %j = 0 to %n iter_args(%u = %t) -> (f32) {
        %x = affine.load %A[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %w, %x : f32
        %q = arith.addf %u, %p : f32
        affine.yield %q : f32
      }
      affine.yield %r : f32
    }
    affine.store %s, %S[%k] : memref<3xf32>
  }
  // The greatest of each column, and with it nothing.
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %least = arith.constant -1000.0 : f32
    %s = affine.for %i = 0 to %m iter_args(%t = %least) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf ogt, %x, %t : f32
      %r = scf.if %c -> (f32) {
        scf.yield %x : f32
      } else {
        scf.yield %t : f32
      }
      affine.yield %r : f32
    }
    affine.store %s, %G[%j] : memref<?xf32>
  }
  return
}
