// RUN: terrace-opt %s -arith-simplify-by-ranges -canonicalize | FileCheck %s

// Whether two comparisons differ.
// CHECK-LABEL: func.func @differ(
// CHECK: %[[A:.*]] = arith.cmpf ogt, %arg0, %arg1
// CHECK: %[[B:.*]] = arith.cmpi slt, %arg2, %arg3
// CHECK: %[[C:.*]] = arith.xori %[[A]], %[[B]] : i1
// CHECK: return %[[C]]
func.func @differ(%x: f32, %y: f32, %i: i32, %j: i32) -> i1 {
  %a = arith.cmpf ogt, %x, %y : f32
  %b = arith.cmpi slt, %i, %j : i32
  %c = arith.cmpi ne, %a, %b : i1
  return %c : i1
}

// Whether they are alike: a NaN makes the one false and the other, turned round, true.
// CHECK-LABEL: func.func @alike(
// CHECK: %[[A:.*]] = arith.cmpi slt, %arg2, %arg3
// CHECK: %[[B:.*]] = arith.cmpf ule, %arg0, %arg1
// CHECK: arith.xori %[[A]], %[[B]] : i1
func.func @alike(%x: f32, %y: f32, %i: i32, %j: i32) -> i1 {
  %a = arith.cmpi slt, %i, %j : i32
  %b = arith.cmpf ogt, %x, %y : f32
  %c = arith.cmpi eq, %a, %b : i1
  return %c : i1
}

// Truth values from elsewhere stay as they are.
// CHECK-LABEL: func.func @given(
// CHECK: arith.cmpi ne
func.func @given(%a: i1, %b: i1) -> i1 {
  %c = arith.cmpi ne, %a, %b : i1
  return %c : i1
}
