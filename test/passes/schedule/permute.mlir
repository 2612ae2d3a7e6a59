// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

schedule.sequence @s on @interchange {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:2 = schedule.permute %i order [1, 0]
  // The new loops keep their names.
  %j = schedule.find_loop {iv = "j", nest = [0]} : !schedule.loop
}
// CHECK-LABEL: func.func @interchange
// CHECK: affine.for %[[J:.*]] = 0 to 20 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 10 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @interchange(%m: memref<10x20xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 20 {
      affine.store %x, %m[%i, %j] : memref<10x20xf32>
    }
  }
  return
}

// -----

// Skewed, a stencil over time is a band that can be tiled and permuted.

schedule.sequence @s on @stencil {
  %t = schedule.find_loop {iv = "t"} : !schedule.loop
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %s:2 = schedule.skew %t, %i by 1
  %b:4 = schedule.tile %s#0 sizes [16, 32]
}
// CHECK-LABEL: func.func @stencil
// CHECK: affine.for %{{.*}} = 0 to min #{{.*}} {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}} to min #{{.*}} {
// CHECK-NEXT: affine.for %[[T:.*]] = max #{{.*}} to min #{{.*}} {
// CHECK-NEXT: affine.for %[[I:.*]] = max #{{.*}}(%[[T]], %[[K]]) to min #{{.*}}(%[[T]], %[[K]])
// CHECK: affine.load %{{.*}}[%[[T]], -%[[T]] + %[[I]] - 1]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[T]] + 1, -%[[T]] + %[[I]]]
func.func @stencil(%A: memref<?x?xf32>, %n: index, %steps: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%t, %i - 1] : memref<?x?xf32>
      %b = affine.load %A[%t, %i + 1] : memref<?x?xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %A[%t + 1, %i] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Bounds that depend on the band.

schedule.sequence @s on @triangle {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:2 = schedule.permute %i order [1, 0]
}
// CHECK-LABEL: func.func @triangle
// CHECK: affine.for %[[J:.*]] = 0 to 10 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to #{{.*}}(%[[J]]) {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @triangle(%m: memref<10x10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 10 {
      affine.store %x, %m[%i, %j] : memref<10x10xf32>
    }
  }
  return
}

// -----

schedule.sequence @s on @others {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %c = schedule.coalesce %i depth 2
  %r = schedule.reverse %c
  %h = schedule.shift %r by 3
}
// CHECK-LABEL: func.func @others
// CHECK: affine.for %{{.*}} = 3 to 203 {
// CHECK-NOT: affine.for
func.func @others(%m: memref<10x20xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 20 {
      affine.store %x, %m[%i, %j] : memref<10x20xf32>
    }
  }
  return
}

// -----

schedule.sequence @s on @jam {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %u = schedule.unroll_jam %i by 2
}
// CHECK-LABEL: func.func @jam
// CHECK: affine.for %{{.*}} = 0 to 10 step 2 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 20 {
// CHECK-NEXT: affine.store
// CHECK-NEXT: affine.apply
// CHECK-NEXT: affine.store
// CHECK-NOT: affine.for
func.func @jam(%m: memref<10x20xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 20 {
      affine.store %x, %m[%i, %j] : memref<10x20xf32>
    }
  }
  return
}

// -----

// Loops that carry values are made anew; their handles stay good.

schedule.sequence @s on @jam_sum {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
  %u = schedule.unroll_jam %i by 2
  %v = schedule.unroll %k by 2
}
// CHECK-LABEL: func.func @jam_sum
// CHECK: affine.for %{{.*}} = 0 to 10 step 2 {
// CHECK: affine.for %{{.*}} = 0 to 20 step 2 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32) {
// CHECK-COUNT-4: arith.addf
func.func @jam_sum(%m: memref<10x20xf32>, %s: memref<10xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 10 {
    %sum = affine.for %k = 0 to 20 iter_args(%a = %zero) -> f32 {
      %v = affine.load %m[%i, %k] : memref<10x20xf32>
      %b = arith.addf %a, %v : f32
      affine.yield %b : f32
    }
    affine.store %sum, %s[%i] : memref<10xf32>
  }
  return
}
