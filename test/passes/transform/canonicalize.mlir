// RUN: terrace-opt %s -allow-unregistered-dialect -canonicalize | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect '-canonicalize=region-simplify=disabled' | FileCheck %s --check-prefix=REGIONS
// RUN: terrace-opt %s -allow-unregistered-dialect '-canonicalize=region-simplify=aggressive' | FileCheck %s --check-prefix=MERGE
// RUN: terrace-opt %s -allow-unregistered-dialect '-canonicalize=max-num-rewrites=0 region-simplify=disabled' | FileCheck %s --check-prefix=NONE
// RUN: not terrace-opt %s -allow-unregistered-dialect '-canonicalize=max-iterations=1 test-convergence' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: terrace-opt %s -allow-unregistered-dialect '-canonicalize=test-convergence top-down=false' | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect -canonicalize -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not terrace-opt %s -canonicalize=region-simplify=sometimes 2>&1 | FileCheck %s --check-prefix=WORD

// LIMIT: error: 'builtin.module' op canonicalization did not converge in 1 iterations
// COUNT: Canonicalizer
// COUNT-DAG: num-folds
// COUNT-DAG: num-rewrites
// COUNT-DAG: num-dce'd
// WORD: Cannot find option named 'sometimes'!

// Constants fold, become one and come first.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[S:.*]] = arith.addi %{{.*}}, %[[C5]]
// CHECK-NEXT: return %[[S]], %[[C5]]
// NONE-LABEL: func.func @constants
// NONE: arith.addi
// NONE: arith.addi
func.func @constants(%a: index) -> (index, index) {
  %c2 = arith.constant 2 : index
  %0 = arith.addi %a, %c2 : index
  %c3 = arith.constant 3 : index
  %1 = arith.addi %0, %c3 : index
  %2 = arith.addi %c2, %c3 : index
  return %1, %2 : index, index
}

// Nothing is left of what nothing uses, with the ops that only feed it.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: "test.effect"
// CHECK-NEXT: return
func.func @dead(%m: memref<4xf32>, %i: index) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = memref.alloc() : memref<f32>
  memref.dealloc %2 : memref<f32>
  "test.effect"() : () -> ()
  return
}

// Unreachable blocks go, and blocks with one way in and out of them merge.
// CHECK-LABEL: func.func @blocks
// CHECK-NEXT: %[[V:.*]] = "test.v"()
// CHECK-NEXT: return %[[V]]
// REGIONS-LABEL: func.func @blocks
// REGIONS: "test.unreachable"
func.func @blocks() -> i32 {
  %0 = "test.v"() : () -> i32
  cf.br ^next(%0 : i32)
^next(%1: i32):
  return %1 : i32
^nowhere:
  "test.unreachable"() : () -> ()
  cf.br ^nowhere
}

// A block argument that only feeds itself goes.
// CHECK-LABEL: func.func @circle
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: ^bb1:
// CHECK-NEXT: cf.cond_br %{{.*}}, ^bb1, ^bb2
func.func @circle(%c: i1, %x: i32) {
  cf.cond_br %c, ^loop(%x : i32), ^end
^loop(%v: i32):
  %w = arith.addi %v, %x : i32
  cf.cond_br %c, ^loop(%w : i32), ^end
^end:
  return
}

// Blocks that do the same are one where that is asked for.
// CHECK-LABEL: func.func @same
// CHECK-COUNT-3: test.other
// MERGE-LABEL: func.func @same
// MERGE: cf.switch
// MERGE-NEXT: default: ^bb2(%arg1 : i32),
// MERGE-NEXT: 1: ^bb1(%arg1 : i32),
// MERGE-NEXT: 2: ^bb1(%arg2 : i32)
// MERGE: ^bb1(%[[A:.*]]: i32):
// MERGE-NEXT: %[[S:.*]] = "test.other"(%[[A]]) {x = 1 : i32}
// MERGE-NEXT: return %[[S]]
// MERGE-NEXT: ^bb2(%{{.*}}: i32):
// MERGE-NEXT: "test.other"(%{{.*}}) {x = 2 : i32}
func.func @same(%f: i32, %x: i32, %y: i32) -> i32 {
  cf.switch %f : i32, [
    default: ^c(%x : i32),
    1: ^a(%x : i32),
    2: ^b(%y : i32)
  ]
^a(%v: i32):
  %0 = "test.other"(%v) {x = 1 : i32} : (i32) -> i32
  return %0 : i32
^b(%w: i32):
  %1 = "test.other"(%w) {x = 1 : i32} : (i32) -> i32
  return %1 : i32
^c(%u: i32):
  %2 = "test.other"(%u) {x = 2 : i32} : (i32) -> i32
  return %2 : i32
}

// Constants do not leave what is isolated from above.
// CHECK-LABEL: func.func @isolated
// CHECK: builtin.module
// CHECK-NEXT: func.func @inner
// CHECK-NEXT: arith.constant 1 : i32
func.func @isolated() {
  builtin.module {
    func.func @inner() -> i32 {
      %0 = arith.constant 1 : i32
      return %0 : i32
    }
  }
  return
}

// Patterns reach ops in nested regions.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: "test.use"(%{{.*}}) : (index) -> ()
// CHECK-NEXT: }
func.func @nested(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = affine.apply affine_map<(d0) -> (d0)>(%i)
    %true = arith.constant true
    scf.if %true {
      "test.use"(%0) : (index) -> ()
    }
  }
  return
}
