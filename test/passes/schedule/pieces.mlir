// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// Loops made of several, and several made of one.

schedule.sequence @s on @fuse {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %f = schedule.fuse %i, %j
  %p = schedule.parallel %f
}
// CHECK-LABEL: func.func @fuse
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NEXT: affine.load %{{.*}}[%[[I]]]
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NOT: affine.for
func.func @fuse(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  affine.for %j = 0 to %n {
    %a = affine.load %A[%j] : memref<?xf32>
    affine.store %a, %B[%j] : memref<?xf32>
  }
  return
}

// -----

// Of the same numbers, the second loop would read what is not there yet; aligned, not.

schedule.sequence @s on @fuse_aligned {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %f = schedule.fuse %i, %j aligned
}
// CHECK-LABEL: func.func @fuse_aligned
// CHECK: affine.for
// CHECK-NEXT: affine.store
// CHECK: affine.load
// CHECK: affine.store
// CHECK-NOT: affine.for
func.func @fuse_aligned(%A: memref<20xf32>, %B: memref<20xf32>, %x: f32) {
  affine.for %i = 1 to 11 {
    affine.store %x, %A[%i] : memref<20xf32>
  }
  affine.for %j = 0 to 10 {
    %a = affine.load %A[%j + 1] : memref<20xf32>
    affine.store %a, %B[%j] : memref<20xf32>
  }
  return
}

// -----

// The recurrence stays serial; the rest need not.

schedule.sequence @s on @distribute {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %f:2 = schedule.distribute %i into 2
  %p = schedule.parallel %f#0
}
// CHECK-LABEL: func.func @distribute
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK: affine.for %[[J:.*]] = 1 to
// CHECK-NEXT: affine.load %{{.*}}[%[[J]] - 1]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[J]]]
func.func @distribute(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 1 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
    %a = affine.load %B[%i - 1] : memref<?xf32>
    %b = affine.load %A[%i] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %B[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s on @distribute_at {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %f:3 = schedule.distribute %i at [1, 2]
  %g = schedule.reverse %f#2
}
// CHECK-LABEL: func.func @distribute_at
// CHECK-COUNT-3: affine.for
func.func @distribute_at(%A: memref<10xf32>, %B: memref<10xf32>, %C: memref<10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.store %x, %A[%i] : memref<10xf32>
    affine.store %x, %B[%i] : memref<10xf32>
    affine.store %x, %C[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s on @peel {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %f:2 = schedule.peel %i front 1
  %g:2 = schedule.peel %f#0 remainder 4
  %h:2 = schedule.split %g#0 at 30
  %b:2 = schedule.peel %h#1 back 4
  schedule.unroll %b#1 full
}
// CHECK-LABEL: func.func @peel
// CHECK: affine.for %{{.*}} = 0 to 1 {
// CHECK: affine.for %{{.*}} = 1 to 30 {
// CHECK: affine.for %{{.*}} = 30 to 97 {
// CHECK-COUNT-5: affine.store
// CHECK: affine.for %{{.*}} = 101 to 103 {
func.func @peel(%A: memref<103xf32>, %x: f32) {
  affine.for %i = 0 to 103 {
    affine.store %x, %A[%i] : memref<103xf32>
  }
  return
}
