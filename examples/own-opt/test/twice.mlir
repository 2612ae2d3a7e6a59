// RUN: own-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @folded
// CHECK-NEXT: %[[C:.*]] = arith.constant -4 : i8
// CHECK-NEXT: return %[[C]] : i8
func.func @folded() -> i8 {
  %c = arith.constant 126 : i8
  %0 = own.twice %c : i8
  return %0 : i8
}

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: own.twice %arg0 : index
func.func @twice(%x: index) -> index {
  %0 = own.twice %x : index
  return %0 : index
}
