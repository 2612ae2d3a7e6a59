// RUN: terrace-opt %s -gpu-map='schedule=true' | FileCheck %s

// All threads walk the same triangle of A, in which each waits for its own loads. Smaller
// blocks win less by the model than it knows of the waiting: one block of 256 stays.
// CHECK-LABEL: func.func @waits
// CHECK: schedule.map_to_gpu %{{.*}} block [256, 1, 1] {schedule.note = "i along x, blocks of 256x1x1: {{.*}} us, latency binds
func.func @waits(%x: memref<203xf64>, %y: memref<203xf64>, %a: memref<25x203xf64>) {
  affine.parallel (%i) = (1) to (202) {
    affine.for %l = 1 to 24 {
      affine.for %j = 1 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %y[%i] : memref<203xf64>
        %1 = affine.load %a[%l, %j] : memref<25x203xf64>
        %2 = affine.load %a[%l - 1, %j + 1] : memref<25x203xf64>
        %3 = affine.load %a[%l + 1, %j] : memref<25x203xf64>
        %4 = affine.load %a[%l, %j + 1] : memref<25x203xf64>
        %5 = affine.load %a[%l + 1, %j - 1] : memref<25x203xf64>
        %6 = arith.mulf %0, %1 : f64
        %7 = arith.mulf %6, %2 : f64
        %8 = arith.mulf %7, %3 : f64
        %9 = arith.mulf %8, %4 : f64
        %10 = arith.mulf %9, %5 : f64
        %11 = affine.load %x[%i] : memref<203xf64>
        %12 = arith.addf %11, %10 : f64
        affine.store %12, %x[%i] : memref<203xf64>
      }
    }
  }
  return
}
