// RUN: terrace-opt %s -split-input-file -pass-pipeline="builtin.module(func.func(memref-hoist-bounds-checks))" | FileCheck %s

// The loop's end is the array's size: nothing is tested. Marks that were there say nothing.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.if
// CHECK: memref.load %{{.*}}[%{{.*}}] {terrace.in_bounds} : memref<?xf64>
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<4xf64>
func.func @known(%a: memref<?xf64>, %b: memref<4xf64>, %j: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> f64 {
    %v = memref.load %a[%i] : memref<?xf64>
    %y = arith.addf %x, %v : f64
    scf.yield %y : f64
  }
  %w = memref.load %b[%j] {terrace.in_bounds} : memref<4xf64>
  %r = arith.addf %s, %w : f64
  return %r : f64
}

// -----

// Ends that differ are compared in front of the loop, which has a copy with its checks.
// CHECK-LABEL: func.func @tested
// CHECK-SAME: (%[[A:.*]]: memref<?xf64>, %[[N:.*]]: index
// CHECK: memref.dim %[[A]]
// CHECK: arith.cmpi sge
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK: memref.load %[[A]][%{{.*}}] {terrace.in_bounds}
// CHECK: } else {
// CHECK: memref.load %[[A]][%{{.*}}] : memref<?xf64>
// CHECK: return %[[R]]
func.func @tested(%a: memref<?xf64>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> f64 {
    %v = memref.load %a[%i] : memref<?xf64>
    %y = arith.addf %x, %v : f64
    scf.yield %y : f64
  }
  return %s : f64
}

// -----

// Triangles, that an inner loop runs, conditions and steps count.
// CHECK-LABEL: func.func @bounded
// CHECK-NOT: scf.if %{{.*}} -> 
// CHECK-COUNT-4: {terrace.in_bounds}
func.func @bounded(%a: memref<10x10xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    %next = arith.addi %i, %c1 : index
    scf.for %j = %next to %c10 step %c1 {
      %v = memref.load %a[%next, %j] : memref<10x10xf64>
      memref.store %v, %a[%i, %j] : memref<10x10xf64>
    }
    %not_first = arith.cmpi sgt, %i, %c0 : index
    scf.if %not_first {
      %before = arith.subi %i, %c1 : index
      %v = memref.load %a[%before, %i] : memref<10x10xf64>
    }
  }
  scf.for %i = %c0 to %c10 step %c4 {
    %next = arith.addi %i, %c1 : index
    %v = memref.load %a[%next, %i] : memref<10x10xf64>
  }
  return
}

// -----

// What is not a sum of counters is checked where it stands; so is what surely fails.
// CHECK-LABEL: func.func @left
// CHECK-NOT: in_bounds
func.func @left(%a: memref<10xf64>, %at: memref<10xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  scf.for %i = %c0 to %c11 step %c1 {
    %k = memref.load %at[%i] : memref<10xindex>
    %v = memref.load %a[%k] : memref<10xf64>
  }
  return
}

// -----

// A product of two numbers that wraps is no bound: the numbers are compared with limits.
// CHECK-LABEL: func.func @guarded
// CHECK: arith.cmpi ule
// CHECK: scf.if
func.func @guarded(%a: memref<10xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.muli %i, %c4 : index
    %v = memref.load %a[%k] : memref<10xf64>
  }
  return
}
