// Rows that begin at the diagonal, and rows of a triangle: blocks have those that are long, threads the short ones.
// What is the same for all elements has the threads of the loop around it.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=5 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=700 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine='reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES-LABEL: func.func @triangles
// TILES:       affine.parallel
// TILES:       gpu.mapper = "tile"
func.func @triangles(%A: memref<?x?xf32> {terrace.dims = ["N", "N"], terrace.init = "random:90x90:1"},
                     %S: memref<?xf32> {terrace.dims = ["N"], terrace.init = "zeros:90"},
                     %T: memref<?xi32> {terrace.dims = ["N"], terrace.init = "zeros:90"},
                     %I: memref<?x?xi32> {terrace.dims = ["N", "N"], terrace.init = "random:90x90:2"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : i32
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %sum = affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.store %sum, %S[%i] : memref<?xf32>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %most = affine.for %j = 0 to %n iter_args(%t = %two) -> (i32) {
      %x = affine.load %I[%i, %j] : memref<?x?xi32>
      %y = arith.xori %x, %x : i32
      %u = arith.maxsi %t, %y : i32
      affine.yield %u : i32
    }
    affine.store %most, %T[%i] : memref<?xi32>
  }
  return
}
