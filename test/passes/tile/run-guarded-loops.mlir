// A condition around a loop is asked in the loop, so that a row of it is a tile, or a thread has an element.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=5 --size N=1500 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine='reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// The nest as it is where rows are short, then a tile for the row.
// TILES-LABEL: func.func @guarded
// TILES:       scf.if
// TILES:         affine.parallel
// TILES:       scf.parallel
// TILES:         tile.reduce
// TILES:         scf.if
// TILES:           tile.store
// TILES:       gpu.mapper = "tile"
func.func @guarded(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:50x70:1"},
                   %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:50x70:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.if affine_set<(d0)[s0] : (d0 mod 3 == 0, s0 - d0 - 2 >= 0)>(%i)[%m] {
      affine.parallel (%j) = (0) to (symbol(%n)) {
        %x = affine.load %A[%i, %j] : memref<?x?xf32>
        %y = arith.subf %x, %sum : f32
        affine.store %y, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
