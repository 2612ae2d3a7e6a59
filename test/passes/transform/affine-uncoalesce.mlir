// RUN: terrace-opt %s -affine-uncoalesce -canonicalize -split-input-file | FileCheck %s
// RUN: terrace-opt %s -affine-uncoalesce -split-input-file -o /dev/null --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: 5 num-loops

// A transpose of one loop.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: 1, 1>, array<i64: -1>]]
// CHECK-DAG: %[[M:.*]] = arith.index_cast %arg1
// CHECK-DAG: %[[N:.*]] = arith.index_cast %arg0
// CHECK: affine.for %[[I:.*]] = 0 to %[[N]] {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %[[M]] {
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[I]], %[[M]]
// CHECK-NEXT: %[[T:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK-NEXT: memref.load %arg2[%[[T]]]
// CHECK-NEXT: %[[COL:.*]] = arith.muli %[[J]], %[[N]]
// CHECK-NEXT: %[[U:.*]] = arith.addi %[[COL]], %[[I]]
// CHECK-NEXT: memref.store %{{.*}}, %arg3[%[[U]]]
// CHECK-NOT: arith.divsi
func.func @turned(%n: i32, %m: i32, %a: memref<?xf64>, %b: memref<?xf64>) attributes {acc.region = {}} {
  %cm = arith.index_cast %m : i32 to index
  %cn = arith.index_cast %n : i32 to index
  %p = arith.muli %cn, %cm : index
  affine.for %t = 0 to %p {
    %u = arith.index_cast %t : index to i32
    %i = arith.divsi %u, %m : i32
    %ii = arith.index_cast %i : i32 to index
    %j = arith.remsi %u, %m : i32
    %jj = arith.index_cast %j : i32 to index
    %x = affine.load %a[%t] : memref<?xf64>
    %0 = arith.muli %jj, %cn : index
    %1 = arith.addi %0, %ii : index
    memref.store %x, %b[%1] : memref<?xf64>
  }
  return
}

// -----

// Three sizes, and a sum that the loops carry.
// CHECK-LABEL: func.func @three(
// CHECK: affine.for %[[Z:.*]] = 0 to %{{.*}} iter_args(
// CHECK: affine.for %[[Y:.*]] = 0 to %{{.*}} iter_args(
// CHECK: affine.for %[[X:.*]] = 0 to %{{.*}} iter_args(
// CHECK-NOT: arith.divsi
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @three(%n: i64, %m: i64, %k: i64, %s0: i64) -> i64 attributes {acc.region = {}} {
  %nm = arith.muli %n, %m : i64
  %nmk = arith.muli %nm, %k : i64
  %p = arith.index_cast %nmk : i64 to index
  %mk = arith.muli %m, %k : i64
  %r = affine.for %t = 0 to %p iter_args(%s = %s0) -> (i64) {
    %u = arith.index_cast %t : index to i64
    %z = arith.divsi %u, %mk : i64
    %v = arith.divsi %u, %k : i64
    %y = arith.remsi %v, %m : i64
    %x = arith.remsi %u, %k : i64
    %1 = arith.xori %x, %y : i64
    %2 = arith.xori %1, %z : i64
    %3 = arith.addi %s, %2 : i64
    affine.yield %3 : i64
  }
  return %r : i64
}

// -----

// Stays: outside of a region nobody looks whether m is positive.
// CHECK-LABEL: func.func @unknown(
// CHECK-COUNT-1: affine.for
// CHECK: arith.divsi
func.func @unknown(%n: i32, %m: i32, %a: memref<?xi32>) {
  %nm = arith.muli %n, %m : i32
  %p = arith.index_cast %nm : i32 to index
  affine.for %t = 0 to %p {
    %u = arith.index_cast %t : index to i32
    %i = arith.divsi %u, %m : i32
    affine.store %i, %a[%t] : memref<?xi32>
  }
  return
}

// -----

// A constant is positive without a word.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: acc.presumes
// CHECK: affine.for %[[I:.*]] = 0 to %
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 12 {
func.func @constant(%n: i32, %a: memref<?xi32>) {
  %c12 = arith.constant 12 : i32
  %nm = arith.muli %n, %c12 : i32
  %p = arith.index_cast %nm : i32 to index
  affine.for %t = 0 to %p {
    %u = arith.index_cast %t : index to i32
    %i = arith.divsi %u, %c12 : i32
    affine.store %i, %a[%t] : memref<?xi32>
  }
  return
}

// -----

// Stays: the counter bounds a loop.
// CHECK-LABEL: func.func @bounds(
// CHECK: arith.divsi
func.func @bounds(%n: i32, %m: i32, %a: memref<?xi32>) attributes {acc.region = {}} {
  %nm = arith.muli %n, %m : i32
  %p = arith.index_cast %nm : i32 to index
  affine.for %t = 0 to %p {
    %u = arith.index_cast %t : index to i32
    %i = arith.divsi %u, %m : i32
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%t) {
      affine.store %i, %a[%k] : memref<?xi32>
    }
  }
  return
}

// -----

// A divisor with a factor that the bound does not have.
// CHECK-LABEL: func.func @more(
// CHECK: affine.for %[[I:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.for
// CHECK: %[[Q:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.divsi %[[I]], %[[Q]] : index
func.func @more(%n: i32, %m: i32, %q: i32, %a: memref<?xi32>) attributes {acc.region = {}} {
  %c1 = arith.constant 1 : i32
  %nm = arith.muli %n, %m : i32
  %p = arith.index_cast %nm : i32 to index
  affine.for %t = 0 to %p {
    %u = arith.index_cast %t : index to i32
    %i = arith.divsi %u, %m : i32
    %q1 = arith.addi %q, %c1 : i32
    %mq = arith.muli %m, %q1 : i32
    %z = arith.divsi %u, %mq : i32
    %s = arith.addi %i, %z : i32
    affine.store %s, %a[%t] : memref<?xi32>
  }
  return
}
