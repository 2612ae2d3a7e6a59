// RUN: terrace-opt %s --apply-schedule | FileCheck %s
// RUN: terrace-opt %s --apply-schedule | terrace run - --target interp --out C=%t.tiled.npy > %t.tiled
// RUN: terrace-opt %s --symbol-dce | terrace run - --target interp --out C=%t.plain.npy > %t.plain
// RUN: cmp %t.tiled.npy %t.plain.npy

// gemm in three levels: tiles for an outer cache, tiles for an inner one, and a block
// of 4 x 4 elements for registers. Sums are added up in the order they were.

schedule.sequence @three_levels on @gemm {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %outer:6 = schedule.tile %i sizes [16, 16, 24]
  %inner:6 = schedule.tile %outer#3 sizes [8, 8, 8]
  %block:6 = schedule.tile %inner#3 sizes [4, 4, 8]
  // k to the outside of the block, and the block in one piece.
  %k:3 = schedule.permute %block#3 order [2, 0, 1]
  schedule.unroll %k#2 full
  schedule.unroll %k#1 full
  %p = schedule.parallel %outer#0
}

// CHECK: affine.parallel (%{{.*}}) = (0) to (48) step (16)
// CHECK-COUNT-8: affine.for
// CHECK: affine.for %[[K:.*]] =
// CHECK-COUNT-16: affine.store
// CHECK-NOT: affine.store
func.func @gemm(
    %A: memref<48x48xf32> {terrace.name = "A", terrace.init = "random:48x48:1"},
    %B: memref<48x48xf32> {terrace.name = "B", terrace.init = "random:48x48:2"},
    %C: memref<48x48xf32> {terrace.name = "C", terrace.init = "random:48x48:3"}) {
  affine.for %i = 0 to 48 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 48 {
        %a = affine.load %A[%i, %k] : memref<48x48xf32>
        %b = affine.load %B[%k, %j] : memref<48x48xf32>
        %c = affine.load %C[%i, %j] : memref<48x48xf32>
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %c, %m : f32
        affine.store %s, %C[%i, %j] : memref<48x48xf32>
      }
    }
  }
  return
}
