// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @there_and_back
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i32)
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @there_and_back(%a: i64, %b: i32) -> (i64, i32) {
  %x = builtin.unrealized_conversion_cast %a, %b : i64, i32 to f32
  %y:2 = builtin.unrealized_conversion_cast %x : f32 to i64, i32
  return %y#0, %y#1 : i64, i32
}

// CHECK-LABEL: func @only_halfway
// CHECK-COUNT-2: unrealized_conversion_cast
func.func @only_halfway(%a: i64) -> index {
  %x = builtin.unrealized_conversion_cast %a : i64 to f32
  %y = builtin.unrealized_conversion_cast %x : f32 to index
  return %y : index
}
