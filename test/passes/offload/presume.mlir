// RUN: terrace-opt %s -split-input-file -offload-presume | FileCheck %s
// RUN: terrace-opt %s -split-input-file -offload-presume -affine-delinearize -canonicalize | FileCheck %s --check-prefix=APART

// Rows of m elements, ld from one to the next: m <= ld.
// CHECK-LABEL: func.func @strided
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 2>, array<i64: 1, 3>]]
// APART-LABEL: func.func @strided
// APART: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>
func.func @strided(%A: memref<?xf32>, %n: index, %m: index, %ld: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %ld : index
      %k = arith.addi %r, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// Integers of C, and a window that begins at x0: 0 <= x0 and x0 + w <= s. That 1 <= x0, so that the
// neighbour on the left is in the row, too, is not presumed: nobody writes there.
// CHECK-LABEL: func.func @window
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: 1, 3>], [array<i64: -1, 3>, array<i64: -1, 4>, array<i64: 1, 5>]]
// APART-LABEL: func.func @window
// APART: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>
func.func @window(%A: memref<?xf32>, %B: memref<?xf32>, %h: i32, %x0: i32, %w: i32, %s: i32) {
  %c1 = arith.constant 1 : index
  %H = arith.index_cast %h : i32 to index
  %X = arith.index_cast %x0 : i32 to index
  %W = arith.index_cast %w : i32 to index
  %S = arith.index_cast %s : i32 to index
  affine.for %i = 0 to %H {
    affine.for %j = %X to affine_map<()[s0, s1] -> (s0 + s1)>()[%X, %W] {
      %r = arith.muli %i, %S : index
      %k = arith.addi %r, %j : index
      %l = arith.subi %k, %c1 : index
      %v = memref.load %A[%l] : memref<?xf32>
      memref.store %v, %B[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// It is known already.
// CHECK-LABEL: func.func @known
// CHECK-NOT: acc.presumes
// APART-LABEL: func.func @known
func.func @known(%A: memref<?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %m : index
      %k = arith.addi %r, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// Nothing that a call could fulfil: rows of m, of which m + 1 elements are used.
// CHECK-LABEL: func.func @never
// CHECK-NOT: acc.presumes
// APART-LABEL: func.func @never
func.func @never(%A: memref<?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %r = arith.muli %i, %m : index
      %k = arith.addi %r, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// The array as a whole says nothing of rows.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: acc.presumes
// APART-LABEL: func.func @whole
func.func @whole(%A: memref<?xf32>, %n: index, %m: index, %ld: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to 60000 {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %ld : index
      %k = arith.addi %r, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// A band beside the diagonal: the bounds of each loop name the other.
// CHECK-LABEL: func.func @band
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 1>, array<i64: -1, 2>, array<i64: 1, 3>, array<i64: 1>]]
// APART-LABEL: func.func @band
// APART: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>
func.func @band(%A: memref<?xf32>, %n: index, %w: index, %ld: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%w] {
      %r = arith.muli %i, %ld : index
      %k = arith.addi %r, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}
