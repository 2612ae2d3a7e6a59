// RUN: terrace-opt %s --convert-scf-to-cf | FileCheck %s

// CHECK-LABEL: func.func @for_loop
// CHECK-SAME: (%[[L:.*]]: index, %[[U:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: f32)
func.func @for_loop(%l: index, %u: index, %s: index, %x: f32) -> f32 {
  // CHECK-NEXT: cf.br ^[[TEST:.*]](%[[L]], %[[X]] : index, f32)
  // CHECK-NEXT: ^[[TEST]](%[[I:.*]]: index, %[[A:.*]]: f32):
  // CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %[[U]] : index
  // CHECK-NEXT: cf.cond_br %[[MORE]], ^[[BODY:.*]], ^[[END:.*]]
  // CHECK-NEXT: ^[[BODY]]:
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]]
  // CHECK-NEXT: %[[N:.*]] = arith.addi %[[I]], %[[S]] : index
  // CHECK-NEXT: cf.br ^[[TEST]](%[[N]], %[[B]] : index, f32)
  // CHECK-NEXT: ^[[END]]:
  // CHECK-NEXT: return %[[A]]
  %r = scf.for %i = %l to %u step %s iter_args(%a = %x) -> (f32) {
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @if_else
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: i32, %[[Y:.*]]: i32)
func.func @if_else(%c: i1, %x: i32, %y: i32) -> i32 {
  // CHECK-NEXT: cf.cond_br %[[C]], ^[[T:.*]], ^[[F:.*]]
  // CHECK-NEXT: ^[[T]]:
  // CHECK-NEXT: cf.br ^[[JOIN:.*]](%[[X]] : i32)
  // CHECK-NEXT: ^[[F]]:
  // CHECK-NEXT: cf.br ^[[JOIN]](%[[Y]] : i32)
  // CHECK-NEXT: ^[[JOIN]](%[[R:.*]]: i32):
  // CHECK: return %[[R]]
  %r = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @while_loop
func.func @while_loop(%x: i32, %n: i32) -> i32 {
  // CHECK-NEXT: cf.br ^[[TEST:.*]](%arg0 : i32)
  // CHECK-NEXT: ^[[TEST]](%[[A:.*]]: i32):
  // CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[A]], %arg1
  // CHECK-NEXT: cf.cond_br %[[C]], ^[[BODY:.*]](%[[A]] : i32), ^[[END:.*]]
  // CHECK-NEXT: ^[[BODY]](%[[B:.*]]: i32):
  // CHECK-NEXT: %[[D:.*]] = arith.addi %[[B]], %[[B]]
  // CHECK-NEXT: cf.br ^[[TEST]](%[[D]] : i32)
  // CHECK-NEXT: ^[[END]]:
  // CHECK-NEXT: return %[[A]]
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %c = arith.cmpi slt, %a, %n : i32
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32):
    %d = arith.addi %b, %b : i32
    scf.yield %d : i32
  }
  return %r : i32
}

// A body that hands on what it gets makes no block.
// CHECK-LABEL: func.func @do_while
func.func @do_while(%x: i32, %n: i32) -> i32 {
  // CHECK-NEXT: cf.br ^[[TEST:.*]](%arg0 : i32)
  // CHECK-NEXT: ^[[TEST]](%[[A:.*]]: i32):
  // CHECK-NEXT: %[[D:.*]] = arith.addi %[[A]], %[[A]]
  // CHECK-NEXT: %[[C:.*]] = arith.cmpi
  // CHECK-NEXT: cf.cond_br %[[C]], ^[[TEST]](%[[D]] : i32), ^[[END:.*]]
  // CHECK-NEXT: ^[[END]]:
  // CHECK-NEXT: return %[[D]]
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %d = arith.addi %a, %a : i32
    %c = arith.cmpi slt, %d, %n : i32
    scf.condition(%c) %d : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
  return %r : i32
}

// Cases are compared one by one, the default last.
// CHECK-LABEL: func.func @switch
func.func @switch(%v: index, %x: i32, %y: i32, %z: i32) -> i32 {
  // CHECK: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-NEXT: %[[HIT:.*]] = arith.cmpi eq, %arg0, %[[C2]]
  // CHECK-NEXT: cf.cond_br %[[HIT]], ^[[TWO:.*]], ^[[NEXT:.*]]
  // CHECK: ^[[NEXT]]:
  // CHECK: %[[C5:.*]] = arith.constant 5 : index
  // CHECK: ^[[TWO]]:
  // CHECK-NEXT: cf.br ^[[JOIN:.*]](%arg1 : i32)
  // CHECK: ^[[JOIN]](%[[R:.*]]: i32):
  // CHECK-NEXT: return %[[R]]
  %r = scf.index_switch %v -> i32
  case 2 {
    scf.yield %x : i32
  }
  case 5 {
    scf.yield %y : i32
  }
  default {
    scf.yield %z : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @execute_region
func.func @execute_region(%c: i1, %x: i32, %y: i32) -> i32 {
  // CHECK: cf.cond_br %arg0, ^[[A:.*]], ^[[B:.*]]
  // CHECK: ^[[A]]:
  // CHECK-NEXT: cf.br ^[[JOIN:.*]](%arg1 : i32)
  // CHECK: ^[[B]]:
  // CHECK-NEXT: cf.br ^[[JOIN]](%arg2 : i32)
  // CHECK: ^[[JOIN]](%[[R:.*]]: i32):
  // CHECK-NEXT: return %[[R]]
  %r = scf.execute_region -> i32 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    scf.yield %x : i32
  ^bb2:
    scf.yield %y : i32
  }
  return %r : i32
}

// Parallel loops run in one of their orders, reductions carried along.
// CHECK-LABEL: func.func @parallel
func.func @parallel(%n: index, %s: index, %x: f32) -> f32 {
  // CHECK: cf.br ^[[TEST:.*]](%{{.*}}, %arg2 : index, f32)
  // CHECK: ^[[TEST]](%{{.*}}: index, %[[A:.*]]: f32):
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %arg2
  // CHECK: cf.br ^[[TEST]](%{{.*}}, %[[SUM]] : index, f32)
  // CHECK: return %[[A]]
  %c0 = arith.constant 0 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%s) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      scf.reduce.return %0 : f32
    }
  }
  return %r : f32
}

// CHECK-LABEL: func.func @forall
func.func @forall(%n: index) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: cf.br ^[[OUTER:.*]](%[[C0]] : index)
  // CHECK: ^[[OUTER]](%[[I:.*]]: index):
  // CHECK: ^{{.*}}(%[[J:.*]]: index):
  // CHECK: vector.print %[[I]]
  // CHECK-NEXT: vector.print %[[J]]
  scf.forall (%i, %j) in (%n, 4) {
    vector.print %i : index
    vector.print %j : index
  }
  return
}
