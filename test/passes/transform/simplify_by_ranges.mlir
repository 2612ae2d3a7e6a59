// RUN: terrace-opt %s -arith-simplify-by-ranges | FileCheck %s

// The mean of nine bytes: a product and a shift.
// CHECK-LABEL: func.func @mean
// CHECK-NOT: arith.divsi
// CHECK: %[[S:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[P:.*]] = arith.muli %[[S]], %{{.*}} : i32
// CHECK: arith.shrui %[[P]], %{{.*}} : i32
func.func @mean(%a: i8) -> i32 {
  %nine = arith.constant 9 : i32
  %x = arith.extui %a : i8 to i32
  %s = arith.muli %x, %nine : i32
  %q = arith.divsi %s, %nine : i32
  return %q : i32
}

// What is left over a power of two is the low bits.
// CHECK-LABEL: func.func @low
// CHECK: arith.andi
// CHECK-NOT: arith.remsi
func.func @low(%a: i16) -> i32 {
  %eight = arith.constant 8 : i32
  %x = arith.extui %a : i16 to i32
  %r = arith.remsi %x, %eight : i32
  return %r : i32
}

// A number that may be negative, or by which it is divided may be anything, stays.
// CHECK-LABEL: func.func @stay
// CHECK: arith.divsi
// CHECK: arith.divui
func.func @stay(%a: i32, %b: i32) -> (i32, i32) {
  %nine = arith.constant 9 : i32
  %q = arith.divsi %a, %nine : i32
  %r = arith.divui %a, %b : i32
  return %q, %r : i32, i32
}
