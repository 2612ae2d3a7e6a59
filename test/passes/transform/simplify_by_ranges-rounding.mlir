// RUN: terrace-opt %s -lower-affine -cse -canonicalize -arith-simplify-by-ranges -canonicalize | FileCheck %s

// Whatever the sign, a shift rounds down, and the low bits are what is left.
// CHECK-LABEL: func.func @down
// CHECK-NEXT: %[[K:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[R:.*]] = arith.shrsi %arg0, %[[K]] : index
// CHECK-NEXT: return %[[R]]
func.func @down(%a: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%a)
  return %r : index
}

// CHECK-LABEL: func.func @left_over
// CHECK-NEXT: %[[K:.*]] = arith.constant 15 : index
// CHECK-NEXT: %[[R:.*]] = arith.andi %arg0, %[[K]] : index
// CHECK-NEXT: return %[[R]]
func.func @left_over(%a: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 mod 16)>(%a)
  return %r : index
}

// CHECK-LABEL: func.func @up
// CHECK-DAG: %[[Z:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[K:.*]] = arith.constant 2 : index
// CHECK: %[[O:.*]] = arith.subi %[[Z]], %arg0 : index
// CHECK-NEXT: %[[D:.*]] = arith.shrsi %[[O]], %[[K]] : index
// CHECK-NEXT: %[[R:.*]] = arith.subi %[[Z]], %[[D]] : index
// CHECK-NEXT: return %[[R]]
func.func @up(%a: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%a)
  return %r : index
}

// By another number it is not.
// CHECK-LABEL: func.func @by_six
// CHECK: arith.divsi
// CHECK: arith.select
func.func @by_six(%a: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 floordiv 6)>(%a)
  return %r : index
}

// Rounded towards 0 it is none either.
// CHECK-LABEL: func.func @to_zero
// CHECK: arith.divsi
func.func @to_zero(%a: index) -> index {
  %c8 = arith.constant 8 : index
  %r = arith.divsi %a, %c8 : index
  return %r : index
}
