// RUN: terrace-opt %s --apply-schedule | FileCheck %s

// A slab of A and B in buffers, an element of C in a register.

schedule.sequence @s on @gemm {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:6 = schedule.tile %i sizes [32, 32, 16]
  %a = schedule.stage %t#3 array "A"
  %b = schedule.stage %a array "B" space 3
  %c = schedule.promote %t#5 array "C"
}
// CHECK: func.func @gemm
// CHECK: %[[A:.*]] = memref.alloc() : memref<32x16xf32>
// CHECK: affine.store %{{.*}}, %[[A]]
// CHECK: %[[B:.*]] = memref.alloc() : memref<16x32xf32, 3>
// CHECK: affine.store %{{.*}}, %[[B]]
// CHECK: %[[C:.*]] = affine.load %arg2[
// CHECK: affine.for %{{.*}} iter_args(%{{.*}} = %[[C]]) -> (f32) {
// CHECK-NEXT: affine.load %[[A]]
// CHECK-NEXT: affine.load %[[B]]
// CHECK-NOT: affine.load
// CHECK: affine.yield
// CHECK: affine.store %{{.*}}, %arg2[
func.func @gemm(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      affine.for %k = 0 to 1024 {
        %a = affine.load %A[%i, %k] : memref<1024x1024xf32>
        %b = affine.load %B[%k, %j] : memref<1024x1024xf32>
        %c = affine.load %C[%i, %j] : memref<1024x1024xf32>
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %c, %m : f32
        affine.store %s, %C[%i, %j] : memref<1024x1024xf32>
      }
    }
  }
  return
}
