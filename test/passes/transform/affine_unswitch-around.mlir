// RUN: terrace-opt %s -affine-unswitch=around=true | FileCheck %s

#some = affine_set<()[s0] : (s0 - 1 >= 0)>

// Whether the loop inside runs at all is the same for all rows, and asked once: both of what asks it
// leave, out of both loops around.
// CHECK-LABEL: func.func @rows
// CHECK: affine.if #{{.*}}()[%{{.*}}] {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 9 {
// CHECK-NEXT: %[[A:.*]] = affine.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: %[[S:.*]] = affine.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: affine.store %[[S]], %{{.*}}[%[[I]], %[[J]]]
// CHECK: } else {
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.load
// CHECK-NOT: affine.if
// CHECK: return
func.func @rows(%a: memref<8x9xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %x = affine.if #some()[%n] -> f64 {
        %y = affine.load %a[%i, %j] : memref<8x9xf64>
        affine.yield %y : f64
      } else {
        affine.yield %zero : f64
      }
      %s = affine.for %k = 0 to %n iter_args(%t = %x) -> (f64) {
        %u = arith.mulf %t, %t : f64
        affine.yield %u : f64
      }
      affine.if #some()[%n] {
        affine.store %s, %a[%i, %j] : memref<8x9xf64>
      }
    }
  }
  return
}

// Innermost loops stay as they are.
// CHECK-LABEL: func.func @innermost
// CHECK: affine.for
// CHECK-NEXT: affine.if
func.func @innermost(%a: memref<8xf64>, %n: index, %x: f64) {
  affine.for %i = 0 to 8 {
    affine.if #some()[%n] {
      affine.store %x, %a[%i] : memref<8xf64>
    }
  }
  return
}
