// RUN: terrace-opt --canonicalize %s | FileCheck %s

// What is computed of poison is poison, and of a choice the other is taken.
// CHECK-LABEL: func @poison
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: i32)
func.func @poison(%c: i1, %x: i32) -> (i32, f32, i32, i32, i1, f32, i32) {
  // CHECK-DAG: %[[P:.*]] = ub.poison : i32
  // CHECK-DAG: %[[F:.*]] = ub.poison : f32
  // CHECK-DAG: %[[B:.*]] = ub.poison : i1
  // CHECK: return %[[P]], %[[F]], %[[X]], %[[X]], %[[B]], %[[F]], %[[P]]
  %p = ub.poison : i32
  %q = ub.poison : i32
  %cp = ub.poison : i1
  %0 = arith.addi %x, %p : i32
  %1 = arith.bitcast %q : i32 to f32
  %2 = arith.select %c, %p, %x : i32
  %3 = arith.select %c, %x, %p : i32
  %4 = arith.cmpi slt, %x, %q : i32
  %5 = math.absf %1 : f32
  %6 = arith.select %cp, %x, %x : i32
  %7 = arith.select %cp, %x, %0 : i32
  return %0, %1, %2, %3, %4, %5, %7 : i32, f32, i32, i32, i1, f32, i32
}
