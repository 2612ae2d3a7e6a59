// RUN: terrace-opt %s -affine-distribute-lanes | FileCheck %s

// The first statement runs in vectors once the second, which waits for the iteration before, stands
// apart.
// CHECK-LABEL: func.func @part
// CHECK: affine.for
// CHECK: math.sqrt
// CHECK-NEXT: affine.store
// CHECK-NEXT: }
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.load %{{.*}}[%{{.*}} - 1]
// CHECK-NEXT: affine.load
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: affine.store
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @part(%n: index, %a: memref<?xf64> {llvm.noalias}, %b: memref<?xf64> {llvm.noalias}, %x: memref<?xf64> {llvm.noalias}) {
  %h = arith.constant 0.5 : f64
  affine.for %j = 1 to %n {
    %0 = affine.load %b[%j] : memref<?xf64>
    %1 = affine.load %b[%j - 1] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    %3 = arith.mulf %2, %h : f64
    %4 = math.sqrt %3 : f64
    affine.store %4, %a[%j] : memref<?xf64>
    %5 = affine.load %x[%j - 1] : memref<?xf64>
    %6 = affine.load %a[%j] : memref<?xf64>
    %7 = arith.mulf %5, %6 : f64
    affine.store %7, %x[%j] : memref<?xf64>
  }
  return
}

// The recurrence comes first where the other statement uses what it makes.
// CHECK-LABEL: func.func @behind
// CHECK: affine.for
// CHECK-NOT: math.sqrt
// CHECK: }
// CHECK-NEXT: affine.for
// CHECK: math.sqrt
func.func @behind(%n: index, %a: memref<?xf64> {llvm.noalias}, %b: memref<?xf64> {llvm.noalias}, %x: memref<?xf64> {llvm.noalias}) {
  %h = arith.constant 0.5 : f64
  affine.for %j = 1 to %n {
    %5 = affine.load %x[%j - 1] : memref<?xf64>
    %6 = affine.load %b[%j] : memref<?xf64>
    %7 = arith.mulf %5, %6 : f64
    affine.store %7, %x[%j] : memref<?xf64>
    %0 = affine.load %x[%j] : memref<?xf64>
    %3 = arith.mulf %0, %h : f64
    %4 = math.sqrt %3 : f64
    affine.store %4, %a[%j] : memref<?xf64>
  }
  return
}

// Two statements that could each run in vectors, but not together in this order: the second loads what the
// next iteration of the first will store.
// CHECK-LABEL: func.func @apart
// CHECK: affine.for
// CHECK: affine.load %{{.*}}[%{{.*}} + 1]
// CHECK: }
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.load %{{.*}}[%{{[a-z0-9]+}}]
func.func @apart(%n: index, %a: memref<?xf64> {llvm.noalias}, %b: memref<?xf64> {llvm.noalias}, %c: memref<?xf64> {llvm.noalias}) {
  %h = arith.constant 0.5 : f64
  affine.for %j = 0 to %n {
    %0 = affine.load %b[%j] : memref<?xf64>
    %3 = arith.mulf %0, %h : f64
    %4 = math.sqrt %3 : f64
    affine.store %4, %a[%j] : memref<?xf64>
    %5 = affine.load %a[%j + 1] : memref<?xf64>
    %6 = arith.mulf %5, %h : f64
    %7 = math.sqrt %6 : f64
    affine.store %7, %c[%j] : memref<?xf64>
  }
  return
}

// A recurrence through both statements, and a statement that computes too little for a loop of its own.
// CHECK-LABEL: func.func @together
// CHECK-COUNT-2: affine.for
// CHECK-NOT: affine.for
func.func @together(%n: index, %a: memref<?xf64> {llvm.noalias}, %b: memref<?xf64> {llvm.noalias}, %x: memref<?xf64> {llvm.noalias}) {
  %h = arith.constant 0.5 : f64
  affine.for %j = 1 to %n {
    %0 = affine.load %x[%j - 1] : memref<?xf64>
    %1 = math.sqrt %0 : f64
    %2 = arith.mulf %1, %h : f64
    affine.store %2, %a[%j] : memref<?xf64>
    %3 = affine.load %a[%j] : memref<?xf64>
    %4 = arith.addf %3, %h : f64
    affine.store %4, %x[%j] : memref<?xf64>
  }
  affine.for %j = 1 to %n {
    %0 = affine.load %b[%j] : memref<?xf64>
    affine.store %0, %a[%j] : memref<?xf64>
    %5 = affine.load %x[%j - 1] : memref<?xf64>
    %7 = arith.mulf %5, %h : f64
    affine.store %7, %x[%j] : memref<?xf64>
  }
  return
}
