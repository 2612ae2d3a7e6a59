// RUN: terrace-opt %s -affine-sequentialize -mlir-pass-statistics 2>&1 | FileCheck %s

// Threads share out the rows; each goes along its own.
// CHECK-LABEL: func.func @rows
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (100) {
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to 100 step 2 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%m: memref<100x100xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (100) {
    affine.parallel (%j) = (%i) to (100) step (2) {
      affine.store %v, %m[%i, %j] : memref<100x100xf32>
    }
  }
  return
}

// Two loops in one become two, also inside those of other dialects.
// CHECK-LABEL: func.func @inside
// CHECK: scf.parallel
// CHECK-NEXT: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 20 {
func.func @inside(%m: memref<10x20xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    affine.parallel (%j, %k) = (0, 0) to (10, 20) {
      affine.store %v, %m[%j, %k] : memref<10x20xf32>
    }
  }
  return
}

// Loops beside one another stay. A sum inside is carried, and may be made in any order.
// CHECK-LABEL: func.func @sums
// CHECK: affine.parallel (%{{.*}}) = (0) to (100) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant {{.*}} : f32
// CHECK-NEXT: %{{.*}} = affine.for %{{.*}} = 0 to 100 iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = affine.load
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] fastmath<reassoc> : f32
// CHECK-NEXT: affine.yield %[[NEXT]] : f32
// CHECK: affine.parallel (%{{.*}}) = (0) to (50)
func.func @sums(%m: memref<100x100xf32>, %s: memref<100xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (100) {
    %sum = affine.parallel (%j) = (0) to (100) reduce ("addf") -> (f32) {
      %x = affine.load %m[%i, %j] : memref<100x100xf32>
      affine.yield %x : f32
    }
    affine.store %sum, %s[%i] : memref<100xf32>
  }
  affine.parallel (%i) = (0) to (50) {
    affine.store %v, %s[%i] : memref<100xf32>
  }
  return
}
// CHECK: 3 num-loops
