// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

schedule.sequence @s on @band {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:4 = schedule.tile %i sizes [8, 5]
  // The loops over tiles and those in them keep their names.
  %again = schedule.find_loop in %t#1 {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j_tile"} : !schedule.loop
}
// CHECK-LABEL: func.func @band
// CHECK: affine.for %[[I:.*]] = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %{{.*}} step 5 {
// CHECK-NEXT: affine.for %[[II:.*]] = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) {
// CHECK-NEXT: affine.for %[[JJ:.*]] = #{{.*}}(%[[J]]) to min #{{.*}}(%[[J]])[%{{.*}}] {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[II]], %[[JJ]]]
// CHECK-NOT: schedule.
func.func @band(%m: memref<64x?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to %n {
      affine.store %x, %m[%i, %j] : memref<64x?xf32>
    }
  }
  return
}

// -----

schedule.sequence @s on @separate {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [8] separate
  schedule.unroll %t#1 full
}
// CHECK-LABEL: func.func @separate
// CHECK: affine.for %{{.*}} = 0 to 61 step 8 {
// CHECK-NEXT: affine.if
// CHECK-COUNT-8: affine.store
// CHECK: else
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.store
func.func @separate(%m: memref<61xf32>, %x: f32) {
  affine.for %i = 0 to 61 {
    affine.store %x, %m[%i] : memref<61xf32>
  }
  return
}

// -----

schedule.sequence @s on @strip_mine {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.strip_mine %i by 8
  %u = schedule.unroll %t#1 by 2
}
// CHECK-LABEL: func.func @strip_mine
// CHECK: affine.for %[[I:.*]] = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) step 2 {
// CHECK-COUNT-2: affine.store
func.func @strip_mine(%m: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

// Whole tiles apart, of loops that carry a value: the condition gives what either carried.

schedule.sequence @s on @carried {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [4] separate
}
// CHECK-LABEL: func.func @carried
// CHECK: %[[ALL:.*]] = affine.for %[[T:.*]] = 0 to #{{.*}}()[%{{.*}}] iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[TILE:.*]] = affine.if #{{.*}}(%[[T]])[%{{.*}}] -> f32 {
// CHECK-NEXT: %[[FULL:.*]] = affine.for %{{.*}} = #{{.*}}(%[[T]]) to #{{.*}}(%[[T]]) iter_args(%{{.*}} = %[[S]]) -> (f32) {
// CHECK: affine.yield %[[FULL]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[PART:.*]] = affine.for %{{.*}} = max #{{.*}}(%[[T]]) to min #{{.*}}(%[[T]])[%{{.*}}] iter_args(%{{.*}} = %[[S]]) -> (f32) {
// CHECK: affine.yield %[[PART]] : f32
// CHECK: affine.yield %[[TILE]] : f32
// CHECK: return %[[ALL]] : f32
func.func @carried(%m: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %r = affine.for %i = 0 to %n iter_args(%s = %x) -> (f32) {
    %a = affine.load %m[%i] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    affine.yield %t : f32
  }
  return %r : f32
}
