// The interpreter runs the tiles, and looks at what they promise of alignment and limits. Numbers are whole, so that
// sums are the same in any order.
//
// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -tile-from-affine=reassociate=true -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.mlir
// RUN: terrace run %t.mlir --target interp | FileCheck %s
//
// Rows of no elements load nothing, not even what they all share.
// RUN: terrace run %t.mlir --target interp --size N=0 | FileCheck %s --check-prefix=EMPTY
//
// TILES: tile.reduce addf
// TILES: tile.convert
//
// CHECK: array B {{.*}} checksum sum 2.0223000000e5 weighted 1.0063982306e5
// CHECK: array S {{.*}} checksum sum 5.5650000000e3 weighted 1.4383861881e3
// CHECK: array C {{.*}} checksum sum 2.0223000000e5 weighted 1.0088350880e5
// EMPTY: array B 3x0xf32
func.func @main(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "iota:3x36"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:3x36"},
    %S: memref<?xf32> {terrace.name = "S", terrace.dims = ["M"], terrace.init = "iota:3"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["N", "M"], terrace.init = "zeros:36x3"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %o = affine.load %S[%i] : memref<?xf32>
    %s = affine.for %j = 1 to %n iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %o : f32
      %t = arith.addf %a, %d : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = affine.load %A[%i, 0] : memref<?x?xf32>
      %z = arith.subf %x, %y : f32
      %q = arith.addf %z, %s : f32
      affine.store %q, %B[%i, %j] : memref<?x?xf32>
    }
    affine.store %s, %S[%i] : memref<?xf32>
  }
  affine.parallel (%j, %i) = (0, 0) to (symbol(%n), symbol(%m)) {
    %x = affine.load %B[%i, %j] : memref<?x?xf32>
    affine.store %x, %C[%j, %i] : memref<?x?xf32>
  }
  return
}
