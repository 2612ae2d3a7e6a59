// Short rows lie side by side in a tile: a block has 8 elements, of which 7 are there, of each of 256 rows.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=300 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine='reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES: tile.reduce addf {{.*}} : vector<256x8xf32> -> vector<256xf32>
func.func @rows(%A: memref<?x7xf32> {terrace.dims = ["M", ""], terrace.init = "random:40x7:1"},
                %S: memref<?xf32> {terrace.dims = ["M"], terrace.init = "zeros:40"}) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x7xf32>
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %sum = affine.for %j = 0 to 7 iter_args(%t = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x7xf32>
      %u = arith.addf %t, %x : f32
      affine.yield %u : f32
    }
    affine.store %sum, %S[%i] : memref<?xf32>
  }
  return
}
