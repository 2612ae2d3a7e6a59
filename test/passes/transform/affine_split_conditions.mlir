// RUN: terrace-opt %s -split-input-file "-pass-pipeline=builtin.module(func.func(affine-split-conditions),canonicalize)" | FileCheck %s

// The first iteration, those inside, and the last one.
// CHECK-LABEL: func.func @sides
// CHECK: affine.for %{{.*}} = 0 to min
// CHECK: scf.if
// CHECK: loop.left_over
// CHECK: affine.for %[[J:.*]] = 1 to #{{.*}}()[%{{.*}}] iter_args
// CHECK-NEXT: affine.load %{{.*}}[%[[J]] - 1]
// CHECK-NOT: scf.if
// CHECK: affine.load %{{.*}}[%[[J]] + 1]
// CHECK-NOT: scf.if
// CHECK: affine.yield
// CHECK: affine.for
// CHECK-NOT: scf.if
// CHECK: loop.left_over
func.func @sides(%A: memref<?xf64>, %n: i32) -> f64 {
  %N = arith.index_cast %n : i32 to index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %f = arith.constant 0.0 : f64
  %r = affine.for %j = 0 to %N iter_args(%a = %f) -> f64 {
    %j32 = arith.index_cast %j : index to i32
    %first = arith.cmpi sgt, %j32, %c0 : i32
    %l = scf.if %first -> f64 {
      %y = affine.load %A[%j - 1] : memref<?xf64>
      scf.yield %y : f64
    } else {
      scf.yield %f : f64
    }
    %n1 = arith.subi %n, %c1 : i32
    %last = arith.cmpi slt, %j32, %n1 : i32
    %u = scf.if %last -> f64 {
      %y = affine.load %A[%j + 1] : memref<?xf64>
      scf.yield %y : f64
    } else {
      scf.yield %f : f64
    }
    %s = arith.addf %l, %u : f64
    %t = arith.addf %a, %s : f64
    affine.yield %t : f64
  }
  return %r : f64
}

// -----

// One iteration apart: three loops. The point is a loop variable around.
// CHECK-LABEL: func.func @apart
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK: affine.for %{{.*}} = 0 to min #{{.*}}(%[[I]])
// CHECK-NOT: arith.cmpi
// CHECK: affine.for
// CHECK-NOT: arith.cmpi
// CHECK: affine.for
// CHECK-NOT: arith.cmpi
func.func @apart(%A: memref<?x?xf64>, %n: index, %m: index) {
  %f = arith.constant 0.0 : f64
  %g = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %same = arith.cmpi eq, %i, %j : index
      %v = arith.select %same, %g, %f : f64
      affine.store %v, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// What is always so is no question; a condition about data is nobody's point.
// CHECK-LABEL: func.func @decided
// CHECK: affine.for
// CHECK-NEXT: affine.load
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: scf.if
// CHECK-NEXT: affine.store
// CHECK-NOT: affine.for
func.func @decided(%A: memref<?xi32>, %n: index) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  affine.for %i = 0 to %n {
    %inside = arith.cmpi slt, %i, %n : index
    %v = affine.load %A[%i] : memref<?xi32>
    %less = arith.cmpi slt, %v, %none : i32
    scf.if %less {
      scf.if %inside {
        affine.store %none, %A[%i] : memref<?xi32>
      }
    }
  }
  return
}
