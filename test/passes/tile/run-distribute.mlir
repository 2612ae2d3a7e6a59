// Iterations of which no block can do all: a running value, a row that is read backwards, a value that is handed on in
// order, and columns. What goes from part to part is kept.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=3 --size N=5000 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=90 --size N=1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=1 --size N=40 | FileCheck %s
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=PARTS
//
// CHECK: verify   passed
//
// The running value is scanned, and the sum of squares has blocks.
// PARTS-LABEL: func.func @parts
// PARTS:       gpu.launch
// PARTS:       gpu.mapper = "tile"
func.func @parts(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:70x333:1"},
                 %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"},
                 %C: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"},
                 %D: memref<?x?xf32> {terrace.dims = ["N", "M"], terrace.init = "zeros:333x70"},
                 %S: memref<?xf32> {terrace.dims = ["M"], terrace.init = "zeros:70"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  affine.parallel (%i) = (0) to (symbol(%m)) {
    // Runs along the row.
    %last = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.store %u, %B[%i, %j] : memref<?x?xf32>
      affine.yield %u : f32
    }
    %norm = arith.addf %last, %half : f32
    // Sums, with the value that ran last.
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.divf %x, %norm : f32
      %z = arith.mulf %y, %y : f32
      %u = arith.addf %t, %z : f32
      affine.yield %u : f32
    }
    %first = affine.load %B[%i, 0] : memref<?x?xf32>
    %f = arith.mulf %first, %half : f32
    // In order, and nothing else.
    %mixed = affine.for %j = 0 to %n iter_args(%t = %f) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.subf %x, %t : f32
      %u = arith.mulf %y, %half : f32
      affine.yield %u : f32
    }
    affine.store %mixed, %S[%i] : memref<?xf32>
    // Elements, of which some lie backwards, and a column of another array.
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %B[%i, -%j + symbol(%n) - 1] : memref<?x?xf32>
      %y = arith.mulf %x, %sum : f32
      affine.store %y, %C[%i, %j] : memref<?x?xf32>
    }
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %C[%i, %j] : memref<?x?xf32>
      %y = arith.addf %x, %f : f32
      affine.store %y, %D[%j, %i] : memref<?x?xf32>
    }
  }
  return
}
