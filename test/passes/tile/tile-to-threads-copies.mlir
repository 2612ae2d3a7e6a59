// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -tile-to-threads -o %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s
// RUN: FileCheck %s --check-prefix=BARRIERS --input-file=%t.mlir

// Warps that hold copies of a tile load it before one of them stores it, and what that one has stored after it. The
// subscripts and the layouts are the same all the time, but not the threads.
//
// BARRIERS-LABEL: func.func @main
// BARRIERS:         memref.load
// BARRIERS:         gpu.barrier
// BARRIERS:         memref.store
// BARRIERS:         gpu.barrier
// BARRIERS:         memref.load
//
// CHECK: array A {{.*}} checksum sum 9.9200000000e2 weighted 5.9614737320e2
// CHECK: array B {{.*}} checksum sum 2.9760000000e3 weighted 1.6851234139e3
func.func @main(
    %A: memref<32xf32> {terrace.name = "A", terrace.init = "iota:32"},
    %B: memref<2x32xf32> {terrace.name = "B", terrace.init = "zeros:2x32"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[32], lane = [32 @ (1)], warp = [2 @ (0)]>"} : memref<32xf32>, vector<32xf32>
    %y = arith.addf %x, %x : vector<32xf32>
    tile.store %y, %A[d0] : vector<32xf32>, memref<32xf32>
    %z = tile.load %A[d0] {tile.layout = "<[32], lane = [32 @ (1)], warp = [2 @ (0)]>"} : memref<32xf32>, vector<32xf32>
    %s = arith.addf %x, %z : vector<32xf32>
    %b = vector.broadcast %s {tile.layout = "<[2, 32], lane = [32 @ (0,1)], warp = [2 @ (1,0)]>"} : vector<32xf32> to vector<2x32xf32>
    tile.store %b, %B[d0, d1] : vector<2x32xf32>, memref<2x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 64, 1, 1>}
  return
}
