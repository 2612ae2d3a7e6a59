// RUN: terrace-opt %s -scf-if-to-select | FileCheck %s

// Both ways are computed.
// CHECK-LABEL: func.func @choice
// CHECK-NEXT: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK-NEXT: %[[R:.*]] = arith.select %{{.*}}, %[[P]], %{{.*}} : f64
// CHECK-NEXT: return %[[R]]
func.func @choice(%c: i1, %x: f64, %y: f64) -> f64 {
  %r = scf.if %c -> (f64) {
    %p = arith.mulf %x, %y : f64
    scf.yield %p : f64
  } else {
    scf.yield %x : f64
  }
  return %r : f64
}

// A sum that goes on in one way only stays a sum.
// CHECK-LABEL: func.func @sum
// CHECK: affine.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32) {
// CHECK: %[[C:.*]] = arith.cmpi sgt
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[T:.*]] = arith.select %[[C]], %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[R:.*]] = arith.addi %[[S]], %[[T]] : i32
// CHECK: affine.yield %[[R]] : i32
func.func @sum(%a: memref<100xi32>, %t: i32, %start: i32) -> i32 {
  %s = affine.for %i = 0 to 100 iter_args(%so_far = %start) -> (i32) {
    %x = affine.load %a[%i] : memref<100xi32>
    %c = arith.cmpi sgt, %x, %t : i32
    %r = scf.if %c -> (i32) {
      %u = arith.addi %so_far, %x : i32
      scf.yield %u : i32
    } else {
      scf.yield %so_far : i32
    }
    affine.yield %r : i32
  }
  return %s : i32
}

// Conditions one in the other are one.
// CHECK-LABEL: func.func @both
// CHECK-NOT: scf.if
// CHECK: %[[D:.*]] = arith.cmpi slt
// CHECK: arith.andi %{{.*}}, %[[D]] : i1
func.func @both(%c: i1, %x: i32, %y: i32) -> i1 {
  %false = arith.constant false
  %r = scf.if %c -> (i1) {
    %d = arith.cmpi slt, %x, %y : i32
    scf.yield %d : i1
  } else {
    scf.yield %false : i1
  }
  return %r : i1
}

// What has effects, may fail or takes long is not done for nothing.
// CHECK-LABEL: func.func @stay
// CHECK: scf.if
// CHECK: scf.if
// CHECK: scf.if
func.func @stay(%c: i1, %a: memref<10xf64>, %x: f64, %y: f64, %n: i32, %d: i32) -> (f64, f64, i32) {
  %0 = scf.if %c -> (f64) {
    %v = affine.load %a[3] : memref<10xf64>
    scf.yield %v : f64
  } else {
    scf.yield %x : f64
  }
  %1 = scf.if %c -> (f64) {
    %v = arith.divf %x, %y : f64
    scf.yield %v : f64
  } else {
    scf.yield %x : f64
  }
  %2 = scf.if %c -> (i32) {
    %v = arith.divsi %n, %d : i32
    scf.yield %v : i32
  } else {
    scf.yield %n : i32
  }
  return %0, %1, %2 : f64, f64, i32
}
