// RUN: terrace-opt %s -memref-forward | FileCheck %s

// What bounds the loop is not loaded again in it.
// CHECK-LABEL: func.func @bound
// CHECK: memref.load %{{.*}}[%[[I:.*]]] : memref<?xindex>
// CHECK: scf.for
// CHECK-NOT: memref<?xindex>
// CHECK: memref.store
func.func @bound(%w: memref<?xindex>, %b: memref<?xindex>, %i: index, %n: index) {
  %c1 = arith.constant 1 : index
  %lo = memref.load %w[%i] : memref<?xindex>
  scf.for %j = %lo to %n step %c1 {
    %x = memref.load %w[%i] : memref<?xindex>
    %k = arith.addi %x, %j : index
    memref.store %k, %b[%j] : memref<?xindex>
  }
  return
}

// A store to the memory, in any iteration, is in the way.
// CHECK-LABEL: func.func @written
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: memref.load
// CHECK: return
func.func @written(%w: memref<?xindex>, %i: index, %n: index) -> index {
  %c1 = arith.constant 1 : index
  %lo = memref.load %w[%i] : memref<?xindex>
  scf.for %j = %lo to %n step %c1 {
    %x = memref.load %w[%i] : memref<?xindex>
    memref.store %x, %w[%j] : memref<?xindex>
    %y = memref.load %w[%j] : memref<?xindex>
    %z = arith.addi %x, %y : index
    memref.store %z, %w[%i] : memref<?xindex>
  }
  return %lo : index
}

// A condition sees what was loaded before it; behind it counts what it may have written.
// CHECK-LABEL: func.func @condition
// CHECK: %[[X:.*]] = memref.load
// CHECK: scf.if
// CHECK-NEXT: arith.addi %[[X]], %[[X]] : i32
// CHECK: memref.load
// CHECK: return
func.func @condition(%a: memref<4xi32>, %b: memref<4xi32>, %i: index, %c: i1) -> (i32, i32) {
  %x = memref.load %a[%i] : memref<4xi32>
  scf.if %c {
    %y = memref.load %a[%i] : memref<4xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %a[%i] : memref<4xi32>
  }
  %v = memref.load %a[%i] : memref<4xi32>
  return %x, %v : i32, i32
}

// A condition of a loop is asked at least once: what it loads is loaded before.
// CHECK-LABEL: func.func @while
// CHECK: %[[W:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xi32>
// CHECK: scf.while
// CHECK-NOT: memref.load
// CHECK: return
func.func @while(%w: memref<8xi32>, %b: memref<8xi32>, %i: index, %n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %r = scf.while (%k = %n) : (i32) -> i32 {
    %lo = memref.load %w[%i] : memref<8xi32>
    %c = arith.cmpi sgt, %k, %lo : i32
    scf.condition(%c) %k : i32
  } do {
  ^bb0(%k: i32):
    %lo = memref.load %w[%i] : memref<8xi32>
    memref.store %lo, %b[%i] : memref<8xi32>
    %next = arith.subi %k, %one : i32
    scf.yield %next : i32
  }
  return %r : i32
}

// What each iteration loads alike is loaded once, where the loop runs at all.
// CHECK-LABEL: func.func @alike
// CHECK: %[[C:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: %[[X:.*]] = scf.if %[[C]] -> (i32) {
// CHECK: memref.load
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: memref.store %[[X]]
func.func @alike(%a: memref<?xi32>, %b: memref<?xi32>, %i: index, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %j = %i to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    memref.store %x, %b[%j] : memref<?xi32>
  }
  return
}

// Memory of the program's own stays, and what is said of how it is freed.
// CHECK-LABEL: func.func @own
// CHECK: memref.store
// CHECK-NEXT: memref.load
func.func @own(%x: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %d = memref.alloc(%n) : memref<?xf64>
  memref.store %x, %d[%c0] : memref<?xf64>
  %v = memref.load %d[%c0] : memref<?xf64>
  memref.dealloc %d : memref<?xf64>
  return %v : f64
}
