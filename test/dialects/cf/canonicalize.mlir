// RUN: terrace-opt %s -canonicalize -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @assert_true
// CHECK-NEXT: return
func.func @assert_true() {
  %true = arith.constant true
  cf.assert %true, "never"
  return
}

// CHECK-LABEL: func @only_successor
// CHECK-NEXT: "test.a"
// CHECK-NEXT: "test.b"
// CHECK-NEXT: return
func.func @only_successor(%x: i32) {
  "test.a"() : () -> ()
  cf.br ^bb1(%x : i32)
^bb1(%y: i32):
  "test.b"(%y) : (i32) -> ()
  return
}

// CHECK-LABEL: func @constant_condition
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-NEXT: return %[[B]]
func.func @constant_condition(%a: i32, %b: i32) -> i32 {
  %false = arith.constant false
  cf.cond_br %false, ^bb1(%a : i32), ^bb1(%b : i32)
^bb1(%x: i32):
  return %x : i32
}

// CHECK-LABEL: func @select
// CHECK-SAME: (%[[C:.*]]: i1, %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[A]], %[[B]] : i32
// CHECK-NEXT: return %[[S]]
func.func @select(%c: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%a : i32)
^bb2:
  cf.br ^bb3(%b : i32)
^bb3(%x: i32):
  return %x : i32
}

// CHECK-LABEL: func @known_in_destination
// CHECK-SAME: (%[[C:.*]]: i1)
// CHECK: cf.cond_br %[[C]], ^bb1, ^bb2
// CHECK: "test.use"(%true
// CHECK: "test.use"(%false
func.func @known_in_destination(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  "test.use"(%c) : (i1) -> ()
  return
^bb2:
  "test.use"(%c) : (i1) -> ()
  return
}

// CHECK-LABEL: func @constant_flag
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64)
// CHECK-NEXT: return %[[B]]
func.func @constant_flag(%a: i64, %b: i64) -> i64 {
  %f = arith.constant 43 : i32
  cf.switch %f : i32, [
    default: ^bb1(%a : i64),
    43: ^bb1(%b : i64)
  ]
^bb1(%x: i64):
  return %x : i64
}

// CHECK-LABEL: func @case_like_default
// CHECK: cf.switch %{{.*}} : i32, [
// CHECK-NEXT: default: ^bb1,
// CHECK-NEXT: 2: ^bb2
// CHECK-NEXT: ]
func.func @case_like_default(%f: i32) {
  cf.switch %f : i32, [
    default: ^bb1,
    1: ^bb1,
    2: ^bb2
  ]
^bb1:
  "test.a"() : () -> ()
  return
^bb2:
  "test.b"() : () -> ()
  return
}

// A way to where nothing comes is not gone.
// CHECK-LABEL: func @unreachable
func.func @unreachable(%c: i1, %x: i32) -> i32 {
  // CHECK-NOT: cf.cond_br
  cf.cond_br %c, ^never, ^always(%x : i32)
^never:
  ub.unreachable
^always(%y: i32):
  // CHECK: return
  return %y : i32
}
