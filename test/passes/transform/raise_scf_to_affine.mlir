// RUN: terrace-opt %s -raise-scf-to-affine | FileCheck %s
// RUN: terrace-opt %s -raise-scf-to-affine=scopes=0 | FileCheck %s --check-prefix=NONE

// A loop in one that is not counted: what that one carries is a symbol in the scope.
// CHECK-LABEL: func.func @in_while
// CHECK-SAME: (%[[A:.*]]: memref<?xi32>
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: affine.scope {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 16 {
// CHECK: %[[V:.*]] = affine.load %[[A]][%[[I]] + %[[P]]]
// CHECK: affine.store %[[V]], %[[A]][%[[P]] + %[[I]] * 2 + 1]
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @in_while(%a: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = scf.while (%p = %c0) : (index) -> index {
    %go = arith.cmpi slt, %p, %n : index
    scf.condition(%go) %p : index
  } do {
  ^bb0(%p: index):
    affine.for %i = 0 to 16 {
      %k = arith.addi %p, %i : index
      %v = memref.load %a[%k] : memref<?xi32>
      %t = arith.muli %i, %c2 : index
      %u = arith.addi %t, %p : index
      %w = arith.addi %u, %c1 : index
      memref.store %v, %a[%w] : memref<?xi32>
    }
    %q = arith.addi %p, %c1 : index
    scf.yield %q : index
  }
  return
}

// Bounds from an array: the loop that loads them is affine already and stays outside.
// CHECK-LABEL: func.func @bounds
// CHECK: affine.for
// CHECK: %[[LO:.*]] = affine.load
// CHECK: %[[HI:.*]] = affine.load
// CHECK: %[[S:.*]] = affine.scope -> f32 {
// CHECK-NEXT: %[[R:.*]] = affine.for %[[J:.*]] = max #{{.*}}(%[[LO]]) to min #{{.*}}(%[[HI]], %{{.*}}) iter_args(%[[T:.*]] = %{{.*}}) -> (f32) {
// CHECK: affine.load %{{.*}}[%[[J]]]
// CHECK: affine.yield
// CHECK: affine.yield %[[R]] : f32
// CHECK: affine.yield %[[S]] : f32
func.func @bounds(%a: memref<?xf32>, %w: memref<?xindex>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = affine.for %i = 0 to %n iter_args(%s = %zero) -> f32 {
    %lo = affine.load %w[%i] : memref<?xindex>
    %hi = affine.load %w[%i + 1] : memref<?xindex>
    %from = arith.maxsi %lo, %c0 : index
    %to = arith.minsi %hi, %n : index
    %1 = scf.for %j = %from to %to step %c1 iter_args(%t = %s) -> f32 {
      %v = memref.load %a[%j] : memref<?xf32>
      %2 = arith.addf %t, %v : f32
      scf.yield %2 : f32
    }
    affine.yield %1 : f32
  }
  return %0 : f32
}

// Elsewhere nothing needs a scope: symbols of the function are all there is.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: affine.scope
// CHECK: affine.for %{{.*}} = 0 to #{{.*}} step 2
// CHECK: affine.store
func.func @plain(%a: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// A subscript from an array is none that a scope helps, and one inside another finds its own.
// CHECK-LABEL: func.func @gather
// CHECK-NOT: affine.scope
// CHECK: affine.for %[[I:.*]] = 0 to 8
// CHECK: %[[K:.*]] = affine.load
// CHECK: memref.load %{{.*}}[%[[K]]]
// CHECK: affine.scope
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 4
// CHECK: affine.load %{{.*}}[%[[J]] + %[[K]]]
func.func @gather(%a: memref<?xf32>, %w: memref<?xindex>) {
  affine.for %i = 0 to 8 {
    %k = affine.load %w[%i] : memref<?xindex>
    %v = memref.load %a[%k] : memref<?xf32>
    vector.print %v : f32
    affine.for %j = 0 to 4 {
      %l = arith.addi %k, %j : index
      %x = memref.load %a[%l] : memref<?xf32>
      vector.print %x : f32
    }
  }
  return
}

// What is compared as an unsigned number, what counts by a step that is not known, and an access
// with attributes stay as they are.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: affine.
// CHECK: return
func.func @stays(%a: memref<?xf32>, %n: index, %v: f32, %m: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  scf.for unsigned %i = %c0 to %n step %c1 {
    vector.print %i : index
  }
  scf.for %i = %c0 to %n step %n {
    vector.print %i : index
  }
  scf.for %i = %z to %m step %o : i32 {
    vector.print %i : i32
  }
  scf.for %i = %c0 to %n step %n {
    memref.store %v, %a[%c0] {nontemporal = true} : memref<?xf32>
  }
  return
}

// Without scopes, what is affine in the function: sizes are symbols.
// NONE-NOT: affine.scope
// NONE-LABEL: func.func @sizes
// NONE-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index
// NONE: affine.for %[[I:.*]] = 0 to %[[N]] {
// NONE: affine.load %[[A]][%[[I]] + symbol(%[[N]])]
// NONE: scf.for
// NONE: memref.load
// NONE-NOT: affine.scope
func.func @sizes(%a: memref<?xf32>, %n: index, %p: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.addi %i, %n : index
    %x = memref.load %a[%k] : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
    %m = memref.load %p[%i] : memref<?xindex>
    scf.for %j = %c0 to %m step %c1 {
      %y = memref.load %a[%j] : memref<?xf32>
      memref.store %y, %a[%c0] : memref<?xf32>
    }
  }
  return
}
