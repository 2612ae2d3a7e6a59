// An op that uses its own result, which a block that nothing reaches may have, is not folded for ever.
//
// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @unreachable()
// CHECK-NEXT: return
// CHECK-NOT: arith
func.func @unreachable() {
  return
^never:
  %c1 = arith.constant 1 : i64
  %add = arith.addi %add, %c1 : i64
  cf.br ^never
}
