// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect -sccp | FileCheck %s
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect -pass-pipeline='builtin.module(func.func(sccp))' | FileCheck %s --check-prefix=ALONE
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect -sccp -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: num-constants

// Only the way taken counts.
// CHECK-LABEL: func.func @one_way
// CHECK: ^bb2(%{{.*}}: i32):
// CHECK-NEXT: return %c1_i32
// ALONE-LABEL: func.func @one_way
// ALONE: return %c1_i32
func.func @one_way(%x: i32) -> i32 {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  cf.cond_br %true, ^a, ^b(%x : i32)
^a:
  cf.br ^b(%c1 : i32)
^b(%v: i32):
  return %v : i32
}

// CHECK-LABEL: func.func @both_ways
// CHECK: ^bb2(%[[V:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: return %[[V]], %c7_i32
func.func @both_ways(%c: i1, %x: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  cf.cond_br %c, ^a, ^b(%x, %c7 : i32, i32)
^a:
  cf.br ^b(%c1, %c7 : i32, i32)
^b(%v: i32, %w: i32):
  return %v, %w : i32, i32
}

// The default is not taken, nor is case 1.
// CHECK-LABEL: func.func @switch
// CHECK: ^bb1(%{{.*}}: i32):
// CHECK-NEXT: return %c20_i32
func.func @switch() -> i32 {
  %flag = arith.constant 2 : i32
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  cf.switch %flag : i32, [
    default: ^end(%a : i32),
    1: ^end(%a : i32),
    2: ^end(%b : i32)
  ]
^end(%v: i32):
  return %v : i32
}

// A value that goes round unchanged is the one it started as; one that grows is not
// constant.
// CHECK-LABEL: func.func @round
// CHECK: ^bb1(%{{.*}}: i32, %[[N:.*]]: i32):
// CHECK: arith.addi %[[N]]
// CHECK: ^bb2:
// CHECK-NEXT: return %c0_i32, %[[N]]
func.func @round(%limit: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^loop(%c0, %c0 : i32, i32)
^loop(%same: i32, %n: i32):
  %double = arith.addi %same, %same : i32
  %next = arith.addi %n, %c1 : i32
  %go = arith.cmpi slt, %n, %limit : i32
  cf.cond_br %go, ^loop(%double, %next : i32, i32), ^end
^end:
  return %same, %n : i32, i32
}

// An unknown terminator hands over anything.
// CHECK-LABEL: func.func @unknown_branch
// CHECK: ^bb1(%[[V:.*]]: i32):
// CHECK-NEXT: return %[[V]]
func.func @unknown_branch() -> i32 {
  %c1 = arith.constant 1 : i32
  "test.branch"(%c1)[^a] : (i32) -> ()
^a(%v: i32):
  return %v : i32
}

// -----

// CHECK-LABEL: func.func @if
// CHECK-NOT: scf.if
// CHECK: return %c1_i32
func.func @if(%x: i32) -> i32 {
  %true = arith.constant true
  %r = scf.if %true -> i32 {
    %1 = arith.constant 1 : i32
    scf.yield %1 : i32
  } else {
    scf.yield %x : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @index_switch
// CHECK: return %c5_i32
func.func @index_switch(%x: i32) -> i32 {
  %c3 = arith.constant 3 : index
  %r = scf.index_switch %c3 -> i32
  case 3 {
    %c5 = arith.constant 5 : i32
    scf.yield %c5 : i32
  }
  default {
    scf.yield %x : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @for
// CHECK: %[[F:.*]]:2 = scf.for
// CHECK: return %c0_i32, %[[F]]#1
func.func @for(%lb: index, %ub: index, %s: index) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %lb to %ub step %s iter_args(%a = %c0, %b = %c0) -> (i32, i32) {
    %a2 = arith.addi %a, %a : i32
    %b2 = arith.addi %b, %c1 : i32
    scf.yield %a2, %b2 : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// No iteration, and exactly one.
// CHECK-LABEL: func.func @trips
// CHECK: return %c4_i32, %c8_i32
func.func @trips() -> (i32, i32) {
  %c4 = arith.constant 4 : i32
  %0 = affine.for %i = 0 to 0 iter_args(%a = %c4) -> i32 {
    %b = arith.addi %a, %a : i32
    affine.yield %b : i32
  }
  %1 = affine.for %i = 0 to 1 iter_args(%a = %c4) -> i32 {
    %b = arith.addi %a, %a : i32
    affine.yield %b : i32
  }
  return %0, %1 : i32, i32
}

// The loop is never gone round: its condition is known.
// CHECK-LABEL: func.func @while
// CHECK: return %c9_i32
func.func @while() -> i32 {
  %c9 = arith.constant 9 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%a = %c9) : (i32) -> i32 {
    %go = arith.cmpi slt, %a, %c1 : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%a: i32):
    %b = arith.addi %a, %a : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// A parallel loop runs its body with anything.
// CHECK-LABEL: func.func @parallel
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: memref.store %c1, %{{.*}}[%[[I]]]
func.func @parallel(%m: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %v = arith.addi %c0, %c1 : index
    memref.store %v, %m[%i] : memref<?xindex>
  }
  return
}

// -----

// All calls are in sight: the argument is the constant that both hand over.
// CHECK-LABEL: func.func private @closed
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK: return %c1_i32, %[[B]]
// ALONE-LABEL: func.func private @closed
// ALONE-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
// ALONE: return %[[A]], %[[B]]
func.func private @closed(%a: i32, %b: i32) -> (i32, i32) {
  return %a, %b : i32, i32
}
// Anyone may call this one, but what it returns is known.
// CHECK-LABEL: func.func @open
// CHECK: return %[[A:.*]], %c3_i32
func.func @open(%a: i32) -> (i32, i32) {
  %c3 = arith.constant 3 : i32
  return %a, %c3 : i32, i32
}
// This one too, by its name.
// CHECK-LABEL: func.func private @by_name
// CHECK-SAME: (%[[A:.*]]: i32)
// CHECK: return %[[A]]
func.func private @by_name(%a: i32) -> i32 {
  return %a : i32
}
"test.user"() {use = @by_name} : () -> ()
func.func private @declared(i32) -> i32
// Nothing calls this one, so nothing is known of it.
// CHECK-LABEL: func.func private @uncalled
// CHECK: arith.addi
func.func private @uncalled() -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %c1, %c1 : i32
  return %0 : i32
}

// CHECK-LABEL: func.func @calls
// CHECK: %[[C:.*]]:2 = call @closed
// CHECK: %[[C2:.*]]:2 = call @closed
// CHECK: %[[N:.*]] = call @by_name
// CHECK: %[[D:.*]] = call @declared
// CHECK: return %c1_i32, %[[C2]]#1, %{{.*}}#0, %c3_i32, %[[N]], %[[D]]
func.func @calls(%x: i32) -> (i32, i32, i32, i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0:2 = call @closed(%c1, %c1) : (i32, i32) -> (i32, i32)
  %1:2 = call @closed(%c1, %c2) : (i32, i32) -> (i32, i32)
  %2:2 = call @open(%c1) : (i32) -> (i32, i32)
  %3 = call @by_name(%c1) : (i32) -> i32
  %4 = call @declared(%c1) : (i32) -> i32
  return %0#0, %1#1, %2#0, %2#1, %3, %4 : i32, i32, i32, i32, i32, i32
}

// -----

// A recursive function that always comes to the same.
// CHECK-LABEL: func.func private @down
// CHECK: return %c0_i32
func.func private @down(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %done -> i32 {
    scf.yield %c0 : i32
  } else {
    %m = arith.subi %n, %c1 : i32
    %v = func.call @down(%m) : (i32) -> i32
    scf.yield %v : i32
  }
  return %r : i32
}
// CHECK-LABEL: func.func @start
// CHECK: return %c0_i32
func.func @start(%n: i32) -> i32 {
  %0 = call @down(%n) : (i32) -> i32
  return %0 : i32
}
