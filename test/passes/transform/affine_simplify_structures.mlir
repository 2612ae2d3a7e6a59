// RUN: terrace-opt %s --affine-simplify-structures | FileCheck %s

// CHECK-DAG: #[[$ONE:.*]] = affine_set<()[s0] : (s0 - 3 >= 0)>
// CHECK-DAG: #[[$APPLY:.*]] = affine_map<()[s0] -> (s0 * 3)>

func.func private @effect()

// CHECK-LABEL: func.func @never
func.func @never(%n: index) {
  // CHECK-NEXT: return
  affine.if affine_set<(d0) : (d0 >= 0, -d0 - 1 >= 0)>(%n) {
    func.call @effect() : () -> ()
  }
  return
}

// No multiple of 4 lies from 5 to 7.
// CHECK-LABEL: func.func @no_integer
func.func @no_integer(%n: index) {
  // CHECK-NEXT: return
  affine.if affine_set<(d0) : (4 * d0 - 5 >= 0, -4 * d0 + 7 >= 0)>(%n) {
    func.call @effect() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @always
func.func @always(%n: index) -> index {
  // CHECK-NEXT: call @effect
  // CHECK-NEXT: %[[C:.*]] = arith.constant 4
  // CHECK-NEXT: return %[[C]]
  %r = affine.if affine_set<(d0) : (d0 - d0 + 2 >= 0)>(%n) -> index {
    func.call @effect() : () -> ()
    %c4 = arith.constant 4 : index
    affine.yield %c4 : index
  } else {
    affine.yield %n : index
  }
  return %r : index
}

// Constraints that others imply go.
// CHECK-LABEL: func.func @redundant
func.func @redundant(%n: index) {
  // CHECK-NEXT: affine.if #[[$ONE]]()[%arg0] {
  affine.if affine_set<(d0) : (d0 - 3 >= 0, d0 - 1 >= 0, 7 >= 0)>(%n) {
    func.call @effect() : () -> ()
  }
  return
}

// Only affine ops change: the sum of constants stays, and dead ops of others too.
// CHECK-LABEL: func.func @apply
func.func @apply(%n: index) -> index {
  // CHECK-NEXT: affine.apply #[[$APPLY]]()[%arg0]
  %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 2)>(%n, %n)
  // CHECK-NEXT: %[[C:.*]] = arith.constant 1
  %c1 = arith.constant 1 : index
  // CHECK-NEXT: arith.addi %[[C]], %[[C]]
  %1 = arith.addi %c1, %c1 : index
  return %0 : index
}
