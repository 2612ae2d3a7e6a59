// What all iterations of a nest combine is the work of blocks that share them: a sum along two axes, several results,
// a sum of floats that its loop lets be made in any order, and one iteration or none.
//
// RUN: terrace run %s --target emulator --verify --size M=1 --size N=3000 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=0 --size N=9 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES-LABEL: func.func @whole
// TILES-NOT:   affine.parallel
// TILES:       gpu.mapper = "tile"
// TILES:       affine.load
func.func @whole(%A: memref<?x?xi16> {terrace.dims = ["M", "N"], terrace.init = "random:60x33:1"},
                 %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:60x33:2"},
                 %S: memref<2xi32> {terrace.init = "zeros:2"}, %F: memref<1xf32> {terrace.init = "zeros:1"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi16>
  %n = memref.dim %A, %c1 : memref<?x?xi16>
  %s:2 = affine.parallel (%i) = (0) to (symbol(%m)) reduce ("addi", "maxs") -> (i32, i32) {
    %t:2 = affine.parallel (%j) = (0) to (symbol(%n)) reduce ("addi", "maxs") -> (i32, i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xi16>
      %y = arith.extsi %x : i16 to i32
      %z = arith.andi %y, %seven : i32
      affine.yield %z, %y : i32, i32
    }
    affine.yield %t#0, %t#1 : i32, i32
  }
  affine.store %s#0, %S[0] : memref<2xi32>
  affine.store %s#1, %S[1] : memref<2xi32>
  %f = affine.parallel (%i, %j) = (0, 0) to (symbol(%m), symbol(%n)) reduce ("addf") -> (f32) {
    %x = affine.load %B[%i, %j] : memref<?x?xf32>
    %y = arith.mulf %x, %x : f32
    affine.yield %y : f32
  }
  affine.store %f, %F[0] : memref<1xf32>
  return
}
