// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// A temporary in the way of parallel iterations, and of their distribution.

schedule.sequence @s on @expand {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "T"
  %d:2 = schedule.distribute %e into 2
  %p = schedule.parallel %d#0
  %q = schedule.parallel %d#1
}
// CHECK-LABEL: func.func @expand
// CHECK: %[[N:.*]] = affine.max #{{.*}}()[%{{.*}}]
// CHECK: %[[T:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK: affine.store %{{.*}}, %[[T]][%[[I]], %{{.*}}]
// CHECK: affine.parallel (%[[J:.*]]) =
// CHECK: affine.load %[[T]][%[[J]], {{.*}}]
// CHECK: memref.dealloc %[[T]]
func.func @expand(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  %T = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<?x4xf32>
      affine.store %a, %T[%j] : memref<4xf32>
    }
    affine.for %k = 0 to 4 {
      %t = affine.load %T[-%k + 3] : memref<4xf32>
      affine.store %t, %B[%i, %k] : memref<?x4xf32>
    }
  }
  memref.dealloc %T : memref<4xf32>
  return
}

// -----

schedule.sequence @s on @vectorize {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %v = schedule.vectorize %i by 4
}
// CHECK-LABEL: func.func @vectorize
// CHECK: affine.for %{{.*}} step 4 {
// CHECK: vector<4xf32>
func.func @vectorize(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %B[%i] : memref<64xf32>
  }
  return
}
