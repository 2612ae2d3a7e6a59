// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

schedule.sequence @s on @by {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %u = schedule.unroll %i by 4
}
// CHECK-LABEL: func.func @by
// CHECK: affine.for %{{.*}} = 0 to 8 step 4 {
// CHECK-COUNT-4: affine.store
// CHECK: affine.for %{{.*}} = 8 to 10 {
// CHECK-COUNT-1: affine.store
func.func @by(%m: memref<10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.store %x, %m[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s on @full {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.unroll %i full
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  schedule.unroll %j full
}
// CHECK-LABEL: func.func @full
// CHECK-NOT: affine.for
// CHECK-COUNT-3: affine.store
// CHECK-NOT: affine.store
func.func @full(%m: memref<10xf32>, %x: f32) {
  affine.for %i = 0 to 3 {
    affine.store %x, %m[%i] : memref<10xf32>
  }
  affine.for %j = 0 to 0 {
    affine.store %x, %m[%j] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s on @normalize {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %n = schedule.normalize %i
  %p = schedule.parallel %n
  %q = schedule.normalize %p
}
// CHECK-LABEL: func.func @normalize
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (4) {
// CHECK-NEXT: %[[J:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[J]]]
func.func @normalize(%m: memref<10xf32>, %x: f32) {
  affine.for %i = 2 to 10 step 2 {
    affine.store %x, %m[%i] : memref<10xf32>
  }
  return
}
