// RUN: terrace-opt %s -canonicalize | FileCheck %s

// A sum with a constant looks at what computes the other operand, which may be an op
// of one operand; that made canonicalize panic.
// CHECK-LABEL: @sum_of_cast
// CHECK: arith.index_cast
// CHECK: arith.addi
func.func @sum_of_cast(%n: i32) -> index {
  %c1 = arith.constant 1 : index
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.addi %0, %c1 : index
  return %1 : index
}
