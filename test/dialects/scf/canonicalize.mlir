// RUN: terrace-opt %s -canonicalize -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @no_iteration
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: return %[[X]]
func.func @no_iteration(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c5 to %c0 step %c5 iter_args(%a = %x) -> (f32) {
    %v = "test.v"(%a) : (f32) -> f32
    scf.yield %v : f32
  }
  return %r : f32
}

// CHECK-LABEL: func @one_iteration
// CHECK-NOT: scf.for
// CHECK: %[[V:.*]] = "test.v"(%c0
// CHECK-NEXT: return %[[V]]
func.func @one_iteration(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c5 iter_args(%a = %x) -> (f32) {
    %v = "test.v"(%i, %a) : (index, f32) -> f32
    scf.yield %v : f32
  }
  return %r : f32
}

// CHECK-LABEL: func @invariant
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: f32)
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: "test.v"(%[[X]], %[[B]])
// CHECK: return %[[X]], %[[R]]
func.func @invariant(%n: index, %x: f32) -> (f32, f32) {
  %r:3 = scf.for %i = %n to %n step %n iter_args(%a = %x, %b = %x, %c = %x) -> (f32, f32, f32) {
    "test.break"() : () -> ()
    scf.yield %a, %b, %c : f32, f32, f32
  }
  %c0 = arith.constant 0 : index
  %s:3 = scf.for %i = %c0 to %n step %n iter_args(%a = %x, %b = %x, %c = %x) -> (f32, f32, f32) {
    %v = "test.v"(%a, %b) : (f32, f32) -> f32
    scf.yield %a, %v, %v : f32, f32, f32
  }
  return %s#0, %s#1 : f32, f32
}

// CHECK-LABEL: func @constant_if
// CHECK-NEXT: "test.a"
// CHECK-NEXT: return
func.func @constant_if() {
  %true = arith.constant true
  scf.if %true {
    "test.a"() : () -> ()
  } else {
    "test.b"() : () -> ()
  }
  return
}

// CHECK-LABEL: func @if_to_select
// CHECK-SAME: (%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[A]], %[[B]] : f32
// CHECK-NEXT: return %[[A]], %[[S]]
func.func @if_to_select(%c: i1, %a: f32, %b: f32) -> (f32, f32) {
  %r:2 = scf.if %c -> (f32, f32) {
    scf.yield %a, %a : f32, f32
  } else {
    scf.yield %a, %b : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: func @empty_else
// CHECK: scf.if
// CHECK-NOT: else
// CHECK: return
func.func @empty_else(%c: i1) {
  scf.if %c {
    "test.a"() : () -> ()
  } else {
  }
  return
}

// CHECK-LABEL: func @condition_inside
// CHECK: "test.use"(%true
// CHECK: "test.use"(%false
func.func @condition_inside(%c: i1) {
  scf.if %c {
    "test.use"(%c) : (i1) -> ()
  } else {
    "test.use"(%c) : (i1) -> ()
  }
  return
}

// CHECK-LABEL: func @negated
// CHECK-SAME: (%[[C:.*]]: i1)
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: "test.b"
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.a"
func.func @negated(%c: i1) {
  %true = arith.constant true
  %n = arith.xori %c, %true : i1
  scf.if %n {
    "test.a"() : () -> ()
  } else {
    "test.b"() : () -> ()
  }
  return
}

// CHECK-LABEL: func @consecutive
// CHECK-NEXT: scf.if
// CHECK-NEXT: "test.a"
// CHECK-NEXT: "test.c"
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.b"
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @consecutive(%c: i1) {
  scf.if %c {
    "test.a"() : () -> ()
  } else {
    "test.b"() : () -> ()
  }
  scf.if %c {
    "test.c"() : () -> ()
  }
  return
}

// CHECK-LABEL: func @nested
// CHECK-SAME: (%[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK-NEXT: %[[AB:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT: scf.if %[[AB]] {
// CHECK-NEXT: "test.a"
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @nested(%a: i1, %b: i1) {
  scf.if %a {
    scf.if %b {
      "test.a"() : () -> ()
    }
  }
  return
}

// CHECK-LABEL: func @constant_switch
// CHECK-NEXT: "test.b"
// CHECK-NEXT: return
func.func @constant_switch() {
  %c1 = arith.constant 1 : index
  scf.index_switch %c1
  case 0 {
    "test.a"() : () -> ()
    scf.yield
  }
  case 1 {
    "test.b"() : () -> ()
    scf.yield
  }
  default {
  }
  return
}

// CHECK-LABEL: func @one_block
// CHECK-NEXT: %[[V:.*]] = "test.v"
// CHECK-NEXT: return %[[V]]
func.func @one_block() -> i64 {
  %r = scf.execute_region -> i64 {
    %v = "test.v"() : () -> i64
    scf.yield %v : i64
  }
  return %r : i64
}

// CHECK-LABEL: func @several_blocks
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: ^bb3(%[[R:.*]]: i64):
// CHECK-NEXT: "test.c"
// CHECK-NEXT: return %[[R]]
func.func @several_blocks(%c: i1) -> i64 {
  %r = scf.execute_region -> i64 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %a = "test.a"() : () -> i64
    scf.yield %a : i64
  ^bb2:
    %b = "test.b"() : () -> i64
    scf.yield %b : i64
  }
  "test.c"() : () -> ()
  return %r : i64
}

// CHECK-LABEL: func @single_dimension
// CHECK: scf.parallel (%[[J:.*]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK-NEXT: "test.use"(%c0{{.*}}, %[[J]])
func.func @single_dimension(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1, %n) step (%c1, %c1) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  return
}

// CHECK-LABEL: func @single_point
// CHECK-NOT: scf.parallel
// CHECK: %[[S:.*]] = arith.addf
// CHECK-NEXT: return %[[S]]
func.func @single_point(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%x) -> f32 {
    %v = "test.v"(%i) : (index) -> f32
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// CHECK-LABEL: func @merge_nests
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK-NEXT: "test.use"(%[[I]], %[[J]])
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @merge_nests(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      "test.use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// CHECK-LABEL: func @condition_holds
// CHECK: scf.condition(%{{.*}})
// CHECK-NEXT: } do {
// CHECK-NEXT: "test.use"(%true
func.func @condition_holds() {
  %r = scf.while : () -> i1 {
    %c = "test.c"() : () -> i1
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%c: i1):
    "test.use"(%c) : (i1) -> ()
    scf.yield
  }
  return
}

// CHECK-LABEL: func @while_invariant
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: scf.while : () -> () {
// CHECK: "test.use"(%[[X]])
// CHECK: return %[[X]]
func.func @while_invariant(%x: f32) -> f32 {
  %r = scf.while (%a = %x) : (f32) -> f32 {
    %c = "test.c"() : () -> i1
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%b: f32):
    "test.use"(%b) : (f32) -> ()
    scf.yield %b : f32
  }
  return %r : f32
}
