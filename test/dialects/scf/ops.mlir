// RUN: terrace-opt %s -allow-unregistered-dialect | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect | terrace-opt -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @for_loops
func.func @for_loops(%lb: index, %ub: index, %s: index, %n: i32, %x: f32) -> f32 {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: "test.body"
  // CHECK-NEXT: } {note}
  scf.for %i = %lb to %ub step %s {
    "test.body"(%i) : (index) -> ()
  } {note}
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}  : i32 {
  scf.for unsigned %i = %n to %n step %n : i32 {
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32) {
  // CHECK-NEXT: scf.yield %{{.*}}, %{{.*}} : f32, f32
  %r:2 = scf.for %i = %lb to %ub step %s iter_args(%a = %x, %b = %x) -> (f32, f32) {
    scf.yield %b, %a : f32, f32
  }
  return %r#1 : f32
}

// CHECK-LABEL: func @while_loops
func.func @while_loops(%c: i1, %x: f32) -> i64 {
  // CHECK: scf.while : () -> () {
  // CHECK-NEXT: scf.condition(%{{.*}})
  // CHECK-NEXT: } do {
  // CHECK-NEXT: scf.yield
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  // CHECK: scf.while (%{{.*}} = %{{.*}}) : (f32) -> i64 {
  // CHECK: scf.condition(%{{.*}}) %{{.*}} : i64
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%{{.*}}: i64):
  // CHECK: } attributes {note}
  %r = scf.while (%a = %x) : (f32) -> i64 {
    %v = "test.v"(%a) : (f32) -> i64
    scf.condition(%c) %v : i64
  } do {
  ^bb0(%v: i64):
    scf.yield %x : f32
  } attributes {note}
  return %r : i64
}

// CHECK-LABEL: func @parallel_loops
func.func @parallel_loops(%lb: index, %ub: index, %s: index, %x: f32) -> f32 {
  // CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
  // CHECK-NEXT: scf.reduce
  scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%s, %s) {
  }
  // CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}) -> f32 {
  // CHECK: scf.reduce(%{{.*}} : f32) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: scf.reduce.return %{{.*}} : f32
  %r = scf.parallel (%i) = (%lb) to (%ub) step (%s) init (%x) -> f32 {
    %v = "test.v"(%i) : (index) -> f32
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      scf.reduce.return %sum : f32
    }
  }
  // CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, index) {
  // CHECK: }, {
  %q:2 = scf.parallel (%i) = (%lb) to (%ub) step (%s) init (%x, %lb) -> (f32, index) {
    scf.reduce(%x, %i : f32, index) {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    }, {
    ^bb0(%a: index, %b: index):
      scf.reduce.return %b : index
    }
  }
  return %r : f32
}

// CHECK-LABEL: func @forall
func.func @forall(%n: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 4) {
  scf.forall (%i, %j) in (%n, 4) {
  }
  // CHECK: scf.forall (%{{.*}}) = (1) to (%{{.*}}) step (2) {
  scf.forall (%i) = (1) to (%n) step (2) {
    scf.forall.in_parallel {
    }
  }
  // CHECK: scf.forall (%{{.*}}) in (8) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<8xf32>) {
  // CHECK: scf.forall.in_parallel {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> (tensor<8xf32>) {
    "test.use"(%o, %i) : (tensor<8xf32>, index) -> ()
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func @branches
func.func @branches(%c: i1, %i: index, %x: f32, %y: f32) -> f32 {
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: }
  scf.if %c {
  }
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: "test.a"
  // CHECK-NEXT: } else {
  // CHECK-NEXT: "test.b"
  // CHECK-NEXT: } {note}
  scf.if %c {
    "test.a"() : () -> ()
  } else {
    "test.b"() : () -> ()
  } {note}
  // CHECK: scf.if %{{.*}} -> (f32, f32) {
  // CHECK-NEXT: scf.yield %{{.*}}, %{{.*}} : f32, f32
  %r:2 = scf.if %c -> (f32, f32) {
    scf.yield %x, %y : f32, f32
  } else {
    scf.yield %y, %x : f32, f32
  }
  // CHECK: scf.index_switch %{{.*}}
  // CHECK-NEXT: case 2 {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: default {
  // CHECK-NEXT: }
  scf.index_switch %i
  case 2 {
    scf.yield
  }
  default {
  }
  // CHECK: scf.index_switch %{{.*}} {note} -> f32
  %s = scf.index_switch %i {note} -> f32
  case -1 {
    scf.yield %x : f32
  }
  case 3 {
    scf.yield %y : f32
  }
  default {
    scf.yield %r#0 : f32
  }
  return %s : f32
}

// CHECK-LABEL: func @execute
func.func @execute(%c: i1, %x: i64) -> i64 {
  // CHECK: scf.execute_region -> i64 {
  %r = scf.execute_region -> i64 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    scf.yield %x : i64
  ^bb2:
    scf.yield %x : i64
  }
  // CHECK: scf.execute_region no_inline {
  scf.execute_region no_inline {
    scf.yield
  }
  return %r : i64
}
