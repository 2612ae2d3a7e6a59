// RUN: terrace-opt %s -allow-unregistered-dialect -cse | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect -cse -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: CSE
// COUNT-DAG: num-cse'd
// COUNT-DAG: num-dce'd

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[A:.*]] = arith.addf
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @twice(%x: f32, %y: f32) -> (f32, f32) {
  %0 = arith.addf %x, %y : f32
  %1 = arith.addf %x, %y : f32
  return %0, %1 : f32, f32
}

// The order of the operands does not matter where the op commutes, and attributes
// always do.
// CHECK-LABEL: func.func @order
// CHECK-COUNT-2: arith.subi
// CHECK: %[[S:.*]] = arith.addi
// CHECK-NOT: arith.addi
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sgt
func.func @order(%x: i32, %y: i32) -> (i32, i32, i32, i32, i1, i1) {
  %0 = arith.subi %x, %y : i32
  %1 = arith.subi %y, %x : i32
  %2 = arith.addi %x, %y : i32
  %3 = arith.addi %y, %x : i32
  %4 = arith.cmpi slt, %x, %y : i32
  %5 = arith.cmpi sgt, %x, %y : i32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i1, i1
}

// What is known outside a region is known inside, not the other way round.
// CHECK-LABEL: func.func @nested
// CHECK: %[[C:.*]] = arith.constant 1
// CHECK: scf.if
// CHECK-NEXT: "test.use"(%[[C]])
// CHECK-NEXT: arith.constant 2
// CHECK: arith.constant 2
func.func @nested(%c: i1) {
  %0 = arith.constant 1 : i32
  "test.use"(%0) : (i32) -> ()
  scf.if %c {
    %1 = arith.constant 1 : i32
    "test.use"(%1) : (i32) -> ()
    %2 = arith.constant 2 : i32
    "test.use"(%2) : (i32) -> ()
  }
  %3 = arith.constant 2 : i32
  "test.use"(%3) : (i32) -> ()
  return
}

// Along dominance in a graph of blocks.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[A:.*]] = arith.addi
// CHECK: ^bb1:
// CHECK-NEXT: arith.muli
// CHECK: ^bb2:
// CHECK-NEXT: %[[M:.*]] = arith.muli
// CHECK: ^bb3(%[[V:.*]]: i32):
// CHECK-NEXT: return %[[V]], %[[A]]
func.func @blocks(%c: i1, %x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  "test.use"(%0) : (i32) -> ()
  cf.cond_br %c, ^a, ^b
^a:
  %1 = arith.muli %x, %x : i32
  cf.br ^end(%1 : i32)
^b:
  %2 = arith.muli %x, %x : i32
  cf.br ^end(%2 : i32)
^end(%v: i32):
  %3 = arith.addi %x, %x : i32
  return %v, %3 : i32, i32
}

// Loads are the same until something may write.
// CHECK-LABEL: func.func @memory
// CHECK-NEXT: %[[A:.*]] = memref.load
// CHECK-NEXT: "test.use"(%[[A]], %[[A]])
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: %[[C:.*]] = memref.load
// CHECK-NEXT: return %[[B]], %[[C]]
func.func @memory(%m: memref<4xf32>, %i: index) -> (f32, f32) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.load %m[%i] : memref<4xf32>
  "test.use"(%0, %1) : (f32, f32) -> ()
  %2 = memref.load %m[%i] : memref<4xf32>
  memref.store %2, %m[%i] : memref<4xf32>
  %3 = memref.load %m[%i] : memref<4xf32>
  return %2, %3 : f32, f32
}

// Two allocations are two, and a dead one goes.
// CHECK-LABEL: func.func @allocations
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @allocations() -> (memref<f32>, memref<f32>) {
  %0 = memref.alloc() : memref<f32>
  %1 = memref.alloc() : memref<f32>
  %2 = memref.alloc() : memref<f32>
  return %0, %1 : memref<f32>, memref<f32>
}

// An unregistered op may be isolated from what is around it.
// CHECK-LABEL: func.func @unregistered
// CHECK: "test.region"() ({
// CHECK-NEXT: arith.constant 1
func.func @unregistered() -> i32 {
  %0 = arith.constant 1 : i32
  "test.region"() ({
    %1 = arith.constant 1 : i32
    "test.use"(%1) : (i32) -> ()
  }) : () -> ()
  return %0 : i32
}

// Whole ops with regions are compared.
// CHECK-LABEL: func.func @regions
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @regions(%c: i1, %x: f32) -> (f32, f32) {
  %0 = scf.if %c -> f32 {
    %a = arith.addf %x, %x : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  %1 = scf.if %c -> f32 {
    %a = arith.addf %x, %x : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  return %0, %1 : f32, f32
}

// Under conditions loads are those in front of them, as long as nothing writes on the way there: an op of
// which nothing is known may, and a loop may write behind them.
// CHECK-LABEL: func.func @memory_under_conditions
// CHECK-NEXT: %[[A:.*]] = memref.load
// CHECK-NEXT: scf.if
// CHECK-NEXT:   "test.use"(%[[A]])
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT:   memref.load
// CHECK:      scf.if
// CHECK-NEXT:   memref.store
// CHECK-NEXT:   %[[C:.*]] = memref.load
// CHECK-NEXT:   "test.use"(%[[C]])
// CHECK:      scf.for
// CHECK-NEXT:   %[[D:.*]] = memref.load
func.func @memory_under_conditions(%m: memref<4xf32>, %i: index, %c: i1, %x: f32) {
  %0 = memref.load %m[%i] : memref<4xf32>
  scf.if %c {
    %1 = memref.load %m[%i] : memref<4xf32>
    "test.use"(%1) : (f32) -> ()
  }
  %2 = scf.if %c -> (f32) {
    %1 = memref.load %m[%i] : memref<4xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %x : f32
  }
  "test.use"(%2) : (f32) -> ()
  scf.if %c {
    memref.store %x, %m[%i] : memref<4xf32>
    %1 = memref.load %m[%i] : memref<4xf32>
    "test.use"(%1) : (f32) -> ()
  }
  %3 = memref.load %m[%i] : memref<4xf32>
  "test.use"(%3) : (f32) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %i step %c1 {
    %1 = memref.load %m[%i] : memref<4xf32>
    "test.use"(%1) : (f32) -> ()
    memref.store %x, %m[%i] : memref<4xf32>
  }
  "test.use"(%0) : (f32) -> ()
  return
}
