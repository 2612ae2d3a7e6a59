// RUN: terrace-opt %s -split-input-file "-pass-pipeline=builtin.module(func.func(affine-split-conditions),canonicalize)" | FileCheck %s

// A filter of 2 r + 1 terms leaves out those beside the row. Between the sides none is: the loop around
// the sum is split there, and the loop of the sum stays whole.
// CHECK-DAG: #[[FROM:.*]] = affine_map<()[s0] -> (0, s0)>
// CHECK-LABEL: func.func @filter
// CHECK: affine.for %[[X:.*]] = max #[[FROM]]()
// CHECK-NOT: arith.cmpi
// CHECK: affine.for %[[D:.*]] = {{.*}} iter_args
// CHECK-NEXT: affine.load %{{.*}}[%[[X]] + %[[D]]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.yield
func.func @filter(%a: memref<?xf32>, %b: memref<?xf32>, %w: i32, %r: i32) {
  %W = arith.index_cast %w : i32 to index
  %R = arith.index_cast %r : i32 to index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  affine.for %x = 0 to %W {
    %x32 = arith.index_cast %x : index to i32
    %s = affine.for %d = affine_map<()[s0] -> (-s0)>()[%R] to affine_map<()[s0] -> (s0 + 1)>()[%R] iter_args(%t = %f) -> f32 {
      %d32 = arith.index_cast %d : index to i32
      %k = arith.addi %x32, %d32 overflow<nsw> : i32
      %low = arith.cmpi sge, %k, %c0 : i32
      %high = arith.cmpi slt, %k, %w : i32
      %there = arith.andi %low, %high : i1
      %u = scf.if %there -> f32 {
        %v = affine.load %a[%x + %d] : memref<?xf32>
        %n = arith.addf %t, %v : f32
        scf.yield %n : f32
      } else {
        scf.yield %t : f32
      }
      affine.yield %u : f32
    }
    affine.store %s, %b[%x] : memref<?xf32>
  }
  return
}

// -----

// An index that is kept within the array is itself up to where the sum's last term is at the side.
// Behind that the loop of the sum has two parts.
// CHECK-DAG: #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0, s0 - s1 + 1)>
// CHECK-LABEL: func.func @clamped
// CHECK-NOT: arith.minsi
// CHECK: affine.for %[[X:.*]] = 0 to min #[[SUM]]()
// CHECK: affine.for
// CHECK: affine.for %{{.*}} = max
// CHECK: affine.for
// CHECK: affine.for
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @clamped(%a: memref<?xf32>, %b: memref<?xf32>, %w: index, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %last = arith.subi %w, %c1 : index
  affine.for %x = 0 to %w {
    %s = affine.for %d = 0 to %r iter_args(%t = %f) -> f32 {
      %k = arith.addi %x, %d : index
      %l = arith.minsi %k, %last : index
      %v = memref.load %a[%l] : memref<?xf32>
      %u = arith.addf %t, %v : f32
      affine.yield %u : f32
    }
    affine.store %s, %b[%x] : memref<?xf32>
  }
  return
}
