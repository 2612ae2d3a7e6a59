// RUN: terrace-opt %s -canonicalize | FileCheck %s

func.func private @f(i32) -> i32

// CHECK-LABEL: func @direct
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK-NEXT: %[[R:.*]] = call @f(%[[X]]) : (i32) -> i32
// CHECK-NEXT: return %[[R]]
func.func @direct(%x: i32) -> i32 {
  %f = func.constant @f : (i32) -> i32
  %r = func.call_indirect %f(%x) : (i32) -> i32
  return %r : i32
}
