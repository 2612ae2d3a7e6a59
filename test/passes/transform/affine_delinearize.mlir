// RUN: terrace-opt %s -split-input-file -affine-delinearize -canonicalize | FileCheck %s

// Rows of n, and a column of them.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}, %[[N]]], strides: [%[[N]], 1] : memref<?xf32> to memref<?x?xf32>
// CHECK: affine.for %[[I:.*]] = 0 to %[[M]]
// CHECK: affine.for %[[J:.*]] = 0 to %[[N]]
// CHECK-NEXT: %[[X:.*]] = affine.load %[[V]][%[[I]], %[[J]]]
// CHECK-NEXT: affine.store %[[X]], %[[B]][%[[J]]]
func.func @rows(%A: memref<?xf32>, %B: memref<?xf32>, %m: index, %n: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %r = arith.muli %i, %n : index
      %k = arith.addi %r, %j : index
      %v = memref.load %A[%k] : memref<?xf32>
      affine.store %v, %B[%j] : memref<?xf32>
    }
  }
  return
}

// -----

// The neighbours of an element, and the parameters of C: integers.
// CHECK-LABEL: func.func @stencil
// CHECK-SAME: (%[[A:.*]]: memref<?xf64>, %[[B:.*]]: memref<?xf64>, %[[n:.*]]: i64)
// CHECK: %[[N:.*]] = arith.index_cast %[[n]] : i64 to index
// CHECK: %[[VA:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}, %[[N]]], strides: [%[[N]], 1]
// CHECK: %[[VB:.*]] = memref.reinterpret_cast %[[B]]
// CHECK: affine.load %[[VA]][%[[I:.*]] - 1, %[[J:.*]]]
// CHECK: affine.load %[[VA]][%[[I]] + 1, %[[J]] - 1]
// CHECK: affine.store %{{.*}}, %[[VB]][%[[I]], %[[J]]]
func.func @stencil(%A: memref<?xf64>, %B: memref<?xf64>, %n: i64) {
  %N = arith.index_cast %n : i64 to index
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      %c1 = arith.constant 1 : i64
      %i0 = arith.index_cast %i : index to i64
      %j0 = arith.index_cast %j : index to i64
      %up = arith.subi %i0, %c1 : i64
      %r0 = arith.muli %up, %n : i64
      %k0 = arith.addi %r0, %j0 : i64
      %x0 = arith.index_cast %k0 : i64 to index
      %a = memref.load %A[%x0] : memref<?xf64>
      %down = arith.addi %i0, %c1 : i64
      %r1 = arith.muli %down, %n : i64
      %k1 = arith.addi %r1, %j0 : i64
      %k2 = arith.subi %k1, %c1 : i64
      %x1 = arith.index_cast %k2 : i64 to index
      %b = memref.load %A[%x1] : memref<?xf64>
      %s = arith.addf %a, %b : f64
      %r3 = arith.muli %i0, %n : i64
      %k3 = arith.addi %r3, %j0 : i64
      %x3 = arith.index_cast %k3 : i64 to index
      memref.store %s, %B[%x3] : memref<?xf64>
    }
  }
  return
}

// -----

// Numbers instead of parameters, three dimensions, and a last row that is not whole.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%[[A:.*]]: memref<1001xf32>)
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [6, 10, 20], strides: [200, 20, 1] : memref<1001xf32> to memref<6x10x20xf32>
// CHECK: affine.load %[[V]][%{{.*}} - 1, %{{.*}}, -%{{.*}} + 19]
// CHECK: affine.store %{{.*}}, %[[V]][%{{.*}}, %{{.*}}, %{{.*}}]
func.func @numbers(%A: memref<1001xf32>) {
  affine.for %i = 1 to 5 {
    affine.for %j = 0 to 10 {
      affine.for %k = 0 to 20 {
        %v = affine.load %A[%i * 200 + %j * 20 - %k - 181] : memref<1001xf32>
        affine.store %v, %A[%i * 200 + %j * 20 + %k] : memref<1001xf32>
      }
    }
  }
  return
}

// -----

// Loops whose iterations are not affine, and an update in memory.
// CHECK-LABEL: func.func @counted
// CHECK: %[[V:.*]] = memref.reinterpret_cast %{{.*}} : memref<?xi32> to memref<?x?xi32>
// CHECK: scf.for %[[I:.*]] =
// CHECK: affine.for %[[J:.*]] =
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[V]][%[[I]], %[[J]]] : (i32, memref<?x?xi32>) -> i32
func.func @counted(%H: memref<?xi32>, %n: index, %from: index) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %from to %n step %c1 {
    affine.for %j = 0 to %n {
      %r = arith.muli %i, %n : index
      %k = arith.addi %r, %j : index
      %v = memref.atomic_rmw addi %one, %H[%k] : (i32, memref<?xi32>) -> i32
    }
  }
  return
}

// -----

// Nothing says that j stays within a row.
// CHECK-LABEL: func.func @leading
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @leading(%A: memref<?xf32>, %m: index, %n: index, %lda: index) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %r = arith.muli %i, %lda : index
      %k = arith.addi %r, %j : index
      memref.store %z, %A[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// One access of the array does not come apart; another array is used as a whole.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @whole(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %at: memref<index>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %at[] : memref<index>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %r = arith.muli %i, %n : index
      %k = arith.addi %r, %j : index
      %v = memref.load %A[%k] : memref<?xf32>
      memref.store %v, %B[%k] : memref<?xf32>
    }
  }
  %w = memref.load %A[%x] : memref<?xf32>
  memref.store %w, %A[%c0] : memref<?xf32>
  memref.copy %A, %B : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Complex numbers as pairs: one variable, so there are no rows.
// CHECK-LABEL: func.func @pairs
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @pairs(%A: memref<200xf32>) {
  affine.for %i = 0 to 100 {
    %v = affine.load %A[%i * 2] : memref<200xf32>
    affine.store %v, %A[%i * 2 + 1] : memref<200xf32>
  }
  return
}

// -----

// Its first column is only read. Where rows have no element it is the same element still.
// CHECK-LABEL: func.func @first_column
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]]
// CHECK: affine.for %[[I:.*]] = 0 to %[[M]]
// CHECK-NEXT: affine.load %[[V]][%[[I]], 0]
func.func @first_column(%A: memref<?xf32>, %B: memref<?xf32>, %m: index, %n: index) {
  affine.for %i = 0 to %m {
    %r = arith.muli %i, %n : index
    %v = memref.load %A[%r] : memref<?xf32>
    affine.store %v, %B[%i] : memref<?xf32>
  }
  return
}

// -----

// The same, stored: with n = 0 all iterations store to one element, of which the last stays.
// CHECK-LABEL: func.func @first_column_stored
// CHECK-NOT: reinterpret_cast
func.func @first_column_stored(%A: memref<?xf32>, %B: memref<?xf32>, %m: index, %n: index) {
  affine.for %i = 0 to %m {
    %r = arith.muli %i, %n : index
    %v = affine.load %B[%i] : memref<?xf32>
    memref.store %v, %A[%r] : memref<?xf32>
  }
  return
}
