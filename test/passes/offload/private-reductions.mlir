// RUN: terrace-opt %s -split-input-file -offload-private-reductions | FileCheck %s

// A sum whose way leads through a loop without a count: each iteration has a sum of its own.
// CHECK-LABEL: func.func @inside
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: affine.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i64) {
// CHECK: %[[W:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[ZERO]])
// CHECK: %[[V:.*]] = arith.addi %[[S]], %[[W]]#1 : i64
// CHECK-NEXT: affine.yield %[[V]] : i64
// CHECK-NEXT: }
// CHECK-NOT: acc.reductions
func.func @inside(%a: memref<?xi64>, %n: index, %s0: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %r = affine.for %i = 0 to %n iter_args(%s = %s0) -> i64 {
    %x = affine.load %a[%i] : memref<?xi64>
    %w:2 = scf.while (%y = %x, %t = %s) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi sgt, %y, %c1 : i64
      scf.condition(%more) %y, %t : i64, i64
    } do {
    ^bb0(%y: i64, %t: i64):
      %half = arith.shrsi %y, %c1 : i64
      %count = arith.addi %t, %c1 : i64
      scf.yield %half, %count : i64, i64
    }
    affine.yield %w#1 : i64
  } {acc.loop = {reduction}, acc.reductions = array<i64: 1>}
  return %r : i64
}

// -----

// The least that a condition chooses, which compares it.
// CHECK-LABEL: func.func @chosen
// CHECK: %[[MOST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK: affine.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i64) {
// CHECK: arith.cmpi slt, %{{.*}}, %[[MOST]]
// CHECK: arith.minsi %[[S]]
func.func @chosen(%a: memref<?xi1>, %n: index, %s0: i64) -> i64 {
  %r = affine.for %i = 0 to %n iter_args(%s = %s0) -> i64 {
    %there = affine.load %a[%i] : memref<?xi1>
    %x = arith.index_cast %i : index to i64
    %less = arith.cmpi slt, %x, %s : i64
    %both = arith.andi %there, %less : i1
    %t = arith.select %both, %x, %s : i64
    affine.yield %t : i64
  } {acc.loop = {reduction}, acc.reductions = array<i64: 10>}
  return %r : i64
}

// -----

// What each iteration leaves in memory means the order.
// CHECK-LABEL: func.func @running
// CHECK: affine.for {{.*}} iter_args(%[[S:.*]] = %{{.*}})
// CHECK: arith.subi %{{.*}}, %[[S]]
// CHECK-NOT: arith.addi
// CHECK: return
func.func @running(%a: memref<?xi64>, %n: index, %s0: i64) -> i64 {
  %r = affine.for %i = 0 to %n iter_args(%s = %s0) -> i64 {
    %x = affine.load %a[%i] : memref<?xi64>
    %t = arith.subi %x, %s : i64
    affine.store %t, %a[%i] : memref<?xi64>
    affine.yield %t : i64
  } {acc.loop = {reduction}, acc.reductions = array<i64: 1>}
  return %r : i64
}
