// RUN: terrace-opt %s -affine-unswitch -mlir-pass-statistics 2>&1 | FileCheck %s
// RUN: terrace-opt %s -affine-unswitch=max-ops=4 | FileCheck %s --check-prefix=SMALL

// SMALL-LABEL: func.func @ways
// SMALL-NEXT: affine.for
// SMALL-NEXT: scf.if

// CHECK-LABEL: func.func @ways
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: f64, %[[A:.*]]: memref<?xf64>, %[[B:.*]]: memref<?xf64>, %[[N:.*]]: index)
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %[[N]] {
// CHECK-NEXT: affine.store %[[X]], %[[A]][%[[I]]]
// CHECK-NEXT: affine.store %[[X]], %[[B]][%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %[[N]] {
// CHECK-NEXT: affine.store %[[X]], %[[B]][%[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @ways(%c: i1, %x: f64, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    scf.if %c {
      affine.store %x, %a[%i] : memref<?xf64>
    }
    affine.store %x, %b[%i] : memref<?xf64>
  }
  return
}

// What the loop carries is what the condition gives.
// CHECK-LABEL: func.func @carried
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK: %[[S:.*]] = affine.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (f64) {
// CHECK: %[[U:.*]] = arith.addf %[[T]], %{{.*}}
// CHECK: affine.yield %[[U]]
// CHECK: scf.yield %[[S]]
// CHECK: } else {
// CHECK: %[[S:.*]] = affine.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (f64) {
// CHECK: affine.yield %[[T]]
// CHECK: scf.yield %[[S]]
// CHECK: return %[[R]]
func.func @carried(%c: i1, %zero: f64, %a: memref<?xf64>, %n: index) -> f64 {
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %t = scf.if %c -> (f64) {
      %u = arith.addf %s, %x : f64
      affine.store %u, %a[%i] : memref<?xf64>
      scf.yield %u : f64
    } else {
      scf.yield %s : f64
    }
    affine.yield %t : f64
  }
  return %r : f64
}

// A condition about the loop around, and one about the loop itself.
// CHECK-LABEL: func.func @of_loops
// CHECK: affine.for %[[I:.*]] = 0 to 10 {
// CHECK-NEXT: affine.if #{{.*}}(%[[I]]) {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 20 {
// CHECK-NEXT: affine.store
// CHECK-NEXT: affine.if #{{.*}}(%[[J]]) {
// CHECK: } else {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 20 {
// CHECK-NEXT: affine.if #{{.*}}(%[[J]]) {
func.func @of_loops(%x: f64, %a: memref<20xf64>, %b: memref<20xf64>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 20 {
      affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
        affine.store %x, %a[%j] : memref<20xf64>
      }
      affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%j) {
        affine.store %x, %b[%j] : memref<20xf64>
      }
    }
  }
  return
}

// Two conditions are four loops; a third is asked in each.
// CHECK-LABEL: func.func @many
// CHECK: scf.if %{{.*}} {
// CHECK: scf.if %{{.*}} {
// CHECK: affine.for
// CHECK: scf.if
// CHECK: } else {
// CHECK: affine.for
// CHECK: scf.if
// CHECK: } else {
// CHECK: scf.if %{{.*}} {
// CHECK: affine.for
// CHECK: scf.if
// CHECK: } else {
// CHECK: affine.for
// CHECK: scf.if
// CHECK-NOT: affine.for
// CHECK: return
func.func @many(%c: i1, %d: i1, %e: i1, %x: f64, %a: memref<20xf64>) {
  affine.for %j = 0 to 20 {
    scf.if %c {
      affine.store %x, %a[%j] : memref<20xf64>
    }
    scf.if %d {
      affine.store %x, %a[%j] : memref<20xf64>
    }
    scf.if %e {
      affine.store %x, %a[%j] : memref<20xf64>
    }
  }
  return
}

// A loop of three iterations, and one whose condition it computes itself, stay as they are.
// CHECK-LABEL: func.func @stay
// CHECK-NEXT: affine.for
// CHECK-NEXT: scf.if
// CHECK: affine.for
// CHECK: arith.cmpf
// CHECK-NEXT: scf.if
func.func @stay(%c: i1, %x: f64, %a: memref<20xf64>) {
  affine.for %j = 0 to 3 {
    scf.if %c {
      affine.store %x, %a[%j] : memref<20xf64>
    }
  }
  affine.for %j = 0 to 20 {
    %y = affine.load %a[%j] : memref<20xf64>
    %d = arith.cmpf olt, %x, %y : f64
    scf.if %d {
      affine.store %x, %a[%j] : memref<20xf64>
    }
  }
  return
}
// CHECK: (S) {{.*}}6 num-conditions
