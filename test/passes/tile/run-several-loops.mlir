// A row of two loops: neither rows nor iterations of the outer loop fill a block alone. What blocks leave of a long row
// or of a column blocks combine, too.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=3 --size N=70 --size K=41 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=2 --size N=2 --size K=9000 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine='reassociate=true' | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// The rows by their length, then what the parts leave.
// TILES: tile.reduce {{.*}} : vector<16x16x8xf32>
// TILES: tile.reduce {{.*}} : vector<8x8x32xf32>
// TILES: tile.reduce {{.*}} : vector<4x4x128xf32>
// TILES: tile.reduce {{.*}} : vector<2048xf32>
// TILES: tile.load %{{.*}}[d1 + %{{.*}}, d0 + %{{.*}}] {{.*}} vector<32x
func.func @sums(%A: memref<?x?x?xf32> {terrace.dims = ["M", "N", "K"], terrace.init = "random:6x20x30:1"},
                %S: memref<?xf32> {terrace.dims = ["N"], terrace.init = "zeros:20"},
                %T: memref<?xf32> {terrace.dims = ["K"], terrace.init = "random:30:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %A, %c0 : memref<?x?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?x?xf32>
  %k = memref.dim %A, %c2 : memref<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %sum = affine.for %i = 0 to %m iter_args(%t = %zero) -> (f32) {
      %row = affine.for %l = 0 to %k iter_args(%u = %t) -> (f32) {
        %x = affine.load %A[%i, %j, %l] : memref<?x?x?xf32>
        %v = arith.addf %u, %x : f32
        affine.yield %v : f32
      }
      affine.yield %row : f32
    }
    affine.store %sum, %S[%j] : memref<?xf32>
  }
  affine.parallel (%l) = (0) to (symbol(%k)) {
    %old = affine.load %T[%l] : memref<?xf32>
    %most = affine.for %i = 0 to %m iter_args(%t = %old) -> (f32) {
      %x = affine.load %A[%i, 0, %l] : memref<?x?x?xf32>
      %u = arith.maximumf %t, %x : f32
      affine.yield %u : f32
    }
    affine.store %most, %T[%l] : memref<?xf32>
  }
  return
}
