// RUN: terrace-opt %s -affine-arg-extrema='rows=true' -canonicalize -split-input-file | FileCheck %s
// RUN: terrace-opt %s -affine-arg-extrema='rows=true' -split-input-file -o /dev/null --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// RUN: terrace-opt %s -affine-arg-extrema -split-input-file | FileCheck %s --check-prefix=OUTER

// COUNT: 5 num-loops

// Each chunk's greatest element, then the chunk, then the place in it.
// CHECK-LABEL: func.func @whole(
// CHECK: %[[EACH:.*]] = memref.alloc(%{{.*}}) : memref<?xf64>
// CHECK: affine.for %[[C:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to min #{{.*}}(%[[C]])[%{{.*}}] iter_args(
// CHECK: affine.load %arg0[%[[C]] * 4096 + %[[J]]]
// CHECK: arith.cmpf ogt, %{{.*}} fastmath<reassoc,nsz>
// CHECK: affine.store %{{.*}}, %[[EACH]][%[[C]]]
// CHECK: %[[MOST:.*]] = affine.for
// CHECK: %[[AT:.*]] = affine.for
// CHECK: arith.cmpf oeq, %{{.*}}, %[[MOST]]
// CHECK: arith.minsi
// CHECK: affine.for %{{.*}} -> (i32) {
// CHECK: %[[PLACE:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.cmpf ogt, %[[MOST]], %arg2
// CHECK: scf.if
// CHECK: affine.load %arg0[symbol(%{{.*}}) * 4096 + symbol(%[[PLACE]])]
func.func @whole(%a: memref<?xf64>, %n: index, %m0: f64, %k0: i32) -> (f64, i32) {
  %r:2 = affine.for %i = 0 to %n iter_args(%m = %m0, %k = %k0) -> (f64, i32) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %m : f64
    %q = arith.index_cast %i : index to i32
    %u = arith.select %c, %x, %m : f64
    %v = arith.select %c, %q, %k : i32
    affine.yield %u, %v : f64, i32
  }
  return %r#0, %r#1 : f64, i32
}

// -----

// In a loop around: no array, and of equal elements the last one. Only where rows are asked for.
// OUTER-LABEL: func.func @rows(
// OUTER-COUNT-2: affine.for
// OUTER-NOT: affine.for
// OUTER: return
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: memref.alloc
// CHECK: affine.for
// CHECK: affine.for
// CHECK: arith.minsi
// CHECK: affine.for
// CHECK: arith.cmpi eq
// CHECK: arith.maxsi
func.func @rows(%a: memref<?x?xi32>, %at: memref<?xi64>, %n: index, %m: index) {
  %big = arith.constant 2147483647 : i32
  %no = arith.constant -1 : i64
  affine.for %i = 0 to %n {
    %r:2 = affine.for %j = 0 to %m iter_args(%s = %big, %k = %no) -> (i32, i64) {
      %x = affine.load %a[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi sle, %x, %s : i32
      %q = arith.index_cast %j : index to i64
      %u = arith.select %c, %x, %s : i32
      %v = arith.select %c, %q, %k : i64
      affine.yield %u, %v : i32, i64
    }
    affine.store %r#1, %at[%i] : memref<?xi64>
  }
  return
}

// -----

// The rows of two loops are the chunks.
// CHECK-LABEL: func.func @nest(
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: affine.load %arg0[%{{.*}}, %{{.*}}]
// CHECK: arith.cmpf olt, %{{.*}} fastmath<reassoc,nsz>
func.func @nest(%a: memref<?x?xf32>, %n: index, %m: index, %s0: f32) -> (f32, index, index) {
  %z = arith.constant 0 : index
  %r:3 = affine.for %i = 0 to %n iter_args(%s = %s0, %p = %z, %q = %z) -> (f32, index, index) {
    %t:3 = affine.for %j = 0 to %m iter_args(%u = %s, %v = %p, %w = %q) -> (f32, index, index) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf olt, %x, %u : f32
      %1 = arith.select %c, %x, %u : f32
      %2 = arith.select %c, %i, %v : index
      %3 = arith.select %c, %j, %w : index
      affine.yield %1, %2, %3 : f32, index, index
    }
    affine.yield %t#0, %t#1, %t#2 : f32, index, index
  }
  return %r#0, %r#1, %r#2 : f32, index, index
}

// -----

// The element so far is looked up, as in C's `if (a[i] > a[k]) k = i`.
// CHECK-LABEL: func.func @looked_up(
// CHECK: memref.alloc
// CHECK-COUNT-4: affine.for
// CHECK: scf.if
// CHECK: memref.load %arg0[%c0]
func.func @looked_up(%a: memref<?xf64>, %n: index) -> i32 {
  %z = arith.constant 0 : i32
  %r = affine.for %i = 1 to %n iter_args(%k = %z) -> (i32) {
    %x = affine.load %a[%i] : memref<?xf64>
    %at = arith.index_cast %k : i32 to index
    %y = memref.load %a[%at] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %y : f64
    %v = scf.if %c -> (i32) {
      %q = arith.index_cast %i : index to i32
      scf.yield %q : i32
    } else {
      scf.yield %k : i32
    }
    affine.yield %v : i32
  }
  return %r : i32
}

// -----

// A short loop reads its elements twice.
// CHECK-LABEL: func.func @short(
// CHECK-NOT: memref.alloc
func.func @short(%a: memref<100xf64>, %m0: f64, %k0: index) -> index {
  %r:2 = affine.for %i = 0 to 100 iter_args(%m = %m0, %k = %k0) -> (f64, index) {
    %x = affine.load %a[%i] : memref<100xf64>
    %c = arith.cmpf ogt, %x, %m : f64
    %u = arith.select %c, %x, %m : f64
    %v = arith.select %c, %i, %k : index
    affine.yield %u, %v : f64, index
  }
  return %r#1 : index
}

// -----

// Stays: a NaN would replace a number.
// CHECK-LABEL: func.func @unordered(
// CHECK: arith.cmpf ugt
// CHECK-NOT: arith.cmpf
func.func @unordered(%a: memref<?xf64>, %n: index, %m0: f64, %k0: index) -> index {
  %r:2 = affine.for %i = 0 to %n iter_args(%m = %m0, %k = %k0) -> (f64, index) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ugt, %x, %m : f64
    %u = arith.select %c, %x, %m : f64
    %v = arith.select %c, %i, %k : index
    affine.yield %u, %v : f64, index
  }
  return %r#1 : index
}

// -----

// Stays: what is chosen depends on what was chosen before.
// CHECK-LABEL: func.func @counted(
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @counted(%a: memref<?xf64>, %n: index, %m0: f64, %k0: index) -> index {
  %one = arith.constant 1 : index
  %r:2 = affine.for %i = 0 to %n iter_args(%m = %m0, %k = %k0) -> (f64, index) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %m : f64
    %more = arith.addi %k, %one : index
    %u = arith.select %c, %x, %m : f64
    %v = arith.select %c, %more, %k : index
    affine.yield %u, %v : f64, index
  }
  return %r#1 : index
}

// -----

// Stays: the loop writes.
// CHECK-LABEL: func.func @writes(
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @writes(%a: memref<?xf64>, %n: index, %m0: f64, %k0: index) -> index {
  %r:2 = affine.for %i = 0 to %n iter_args(%m = %m0, %k = %k0) -> (f64, index) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %m : f64
    affine.store %m, %a[%i] : memref<?xf64>
    %u = arith.select %c, %x, %m : f64
    %v = arith.select %c, %i, %k : index
    affine.yield %u, %v : f64, index
  }
  return %r#1 : index
}

// -----

// Stays: no comparison decides.
// CHECK-LABEL: func.func @flag(
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @flag(%a: memref<?xi8>, %n: index, %k0: index) -> index {
  %r = affine.for %i = 0 to %n iter_args(%k = %k0) -> (index) {
    %x = affine.load %a[%i] : memref<?xi8>
    %c = arith.trunci %x : i8 to i1
    %v = arith.select %c, %i, %k : index
    affine.yield %v : index
  }
  return %r : index
}
