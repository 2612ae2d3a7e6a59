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

// -----

// Rows with an edge on both sides: n + 2 elements, i * (n + 2) + j.
// CHECK-LABEL: func.func @edges
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[W:.*]] = arith.addi %[[N]], %c2
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}, %[[W]]], strides: [%[[W]], 1] : memref<?xf32> to memref<?x?xf32>
// CHECK: affine.load %[[V]][%[[I:.*]] - 1, %[[J:.*]]]
// CHECK: affine.load %[[V]][%[[I]], %[[J]] + 1]
// CHECK: affine.store %{{.*}}, %[[V]][%[[I]], %[[J]]]
func.func @edges(%A: memref<?xf32>, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %w = arith.addi %n, %c2 : index
      %up = arith.subi %i, %c1 : index
      %r0 = arith.muli %up, %w : index
      %k0 = arith.addi %r0, %j : index
      %a = memref.load %A[%k0] : memref<?xf32>
      %r1 = arith.muli %i, %w : index
      %k1 = arith.addi %r1, %j : index
      %k2 = arith.addi %k1, %c1 : index
      %b = memref.load %A[%k2] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %A[%k1] : memref<?xf32>
    }
  }
  return
}

// -----

// Planes of (m + 2) rows of n + 2.
// CHECK-LABEL: func.func @planes
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %{{.*}}, %{{.*}}]
// CHECK: affine.load %{{.*}}[%[[K:.*]], %[[J:.*]] + 1, %[[I:.*]]]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[K]], %[[J]], %[[I]]]
func.func @planes(%A: memref<?xf32>, %B: memref<?xf32>, %m: index, %n: index) {
  %c2 = arith.constant 2 : index
  %w = arith.addi %n, %c2 : index
  %h = arith.addi %m, %c2 : index
  affine.for %k = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %p = arith.muli %k, %h : index
        %q = arith.addi %p, %j : index
        %r = arith.muli %q, %w : index
        %e = arith.addi %r, %i : index
        %next = arith.addi %e, %w : index
        %a = memref.load %A[%next] : memref<?xf32>
        memref.store %a, %B[%e] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// Three colours of a point: rows of 3 * n, and 3 * j + c in them.
// CHECK-LABEL: func.func @colours
// CHECK: affine.load %{{.*}}[%[[I:.*]], %[[J:.*]] * 3 + %[[C:.*]]]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]] * 3 + %[[C]]]
func.func @colours(%A: memref<?xi8>, %B: memref<?xi8>, %m: index, %n: index) {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %c = 0 to 3 {
        %r = arith.muli %i, %n : index
        %p = arith.addi %r, %j : index
        %q = arith.muli %p, %c3 : index
        %e = arith.addi %q, %c : index
        %a = memref.load %A[%e] : memref<?xi8>
        memref.store %a, %B[%e] : memref<?xi8>
      }
    }
  }
  return
}

// -----

// The next row, from its end: (i + 1) * n + n - 1 - j.
// CHECK-LABEL: func.func @next_row
// CHECK: affine.load %{{.*}}[%[[I:.*]] + 1, -%[[J:.*]] + symbol(%{{.*}}) - 1]
func.func @next_row(%A: memref<?xf32>, %B: memref<?xf32>, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %d = arith.addi %i, %c1 : index
      %r = arith.muli %d, %n : index
      %s = arith.addi %r, %n : index
      %t = arith.subi %s, %c1 : index
      %e = arith.subi %t, %j : index
      %a = memref.load %A[%e] : memref<?xf32>
      %o = arith.muli %i, %n : index
      %q = arith.addi %o, %j : index
      memref.store %a, %B[%q] : memref<?xf32>
    }
  }
  return
}

// -----

// The last element of a row would be the next one's: n + 1 of rows of n + 1.
// CHECK-LABEL: func.func @too_far
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @too_far(%A: memref<?xf32>, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 + 2)>()[%n] {
      %w = arith.addi %n, %c1 : index
      %r = arith.muli %i, %w : index
      %e = arith.addi %r, %j : index
      memref.store %x, %A[%e] : memref<?xf32>
    }
  }
  return
}

// -----

// Rows by a quotient and by a remainder of a counter.
// CHECK-LABEL: func.func @quotients
// CHECK: affine.load %{{.*}}[%[[I:.*]] floordiv 2, %[[J:.*]]]
// CHECK: affine.load %{{.*}}[%[[I]] mod 8, %[[J]]]
func.func @quotients(%A: memref<?xf32>, %B: memref<?x?xf32>, %m: index, %n: index) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %q = arith.floordivsi %i, %c2 : index
      %r = arith.muli %q, %n : index
      %k = arith.addi %r, %j : index
      %v = memref.load %A[%k] : memref<?xf32>
      %q8 = arith.floordivsi %i, %c8 : index
      %p8 = arith.muli %q8, %c8 : index
      %i8 = arith.subi %i, %p8 : index
      %r8 = arith.muli %i8, %n : index
      %k8 = arith.addi %r8, %j : index
      %w = memref.load %A[%k8] : memref<?xf32>
      %s = arith.addf %v, %w : f32
      affine.store %s, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Rows of `m` of which each loop takes `m / 2` elements and twice as many: where the quotient is
// positive, so is `m`.
// CHECK-LABEL: func.func @half
// CHECK: affine.load %{{.*}}[%[[I:.*]] * 2, %[[J:.*]] * 2 + 1]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @half(%A: memref<?xf32>, %B: memref<?xf32>, %n: i32, %m: i32) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c2_i32 = arith.constant 2 : i32
  %M = arith.index_cast %m : i32 to index
  %N = arith.index_cast %n : i32 to index
  %h = arith.divsi %m, %c2_i32 : i32
  %H = arith.index_cast %h : i32 to index
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %H {
      %i2 = arith.muli %i, %c2 : index
      %r = arith.muli %i2, %M : index
      %j2 = arith.muli %j, %c2 : index
      %j3 = arith.addi %j2, %c1 : index
      %k = arith.addi %r, %j3 : index
      %v = memref.load %A[%k] : memref<?xf32>
      %s = arith.muli %i, %H : index
      %t = arith.addi %s, %j : index
      memref.store %v, %B[%t] : memref<?xf32>
    }
  }
  return
}

// -----

// Nothing says that the number that is rounded up leaves room in a row.
// CHECK-LABEL: func.func @more_than_half
// CHECK: memref.load
func.func @more_than_half(%A: memref<?xf32>, %B: memref<?xf32>, %n: i32, %m: i32) {
  %c2 = arith.constant 2 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %M = arith.index_cast %m : i32 to index
  %N = arith.index_cast %n : i32 to index
  %m1 = arith.addi %m, %c1_i32 : i32
  %h = arith.divsi %m1, %c2_i32 : i32
  %H = arith.index_cast %h : i32 to index
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %H {
      %r = arith.muli %i, %M : index
      %j2 = arith.muli %j, %c2 : index
      %k = arith.addi %r, %j2 : index
      %v = memref.load %A[%k] : memref<?xf32>
      affine.store %v, %B[%j] : memref<?xf32>
    }
  }
  return
}

// -----

// A field of records, eight bytes apart: so are the elements of its rows.
// CHECK-LABEL: func.func @field
// CHECK: %[[EACH:.*]] = arith.constant 8 : index
// CHECK: %[[ROW:.*]] = arith.muli %arg2, %[[EACH]] : index
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [%{{.*}}, %arg2], strides: [%[[ROW]], 8] : memref<?xi8, strided<[8]>> to memref<?x?xi8, strided<[?, 8]>>
// CHECK: affine.store %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xi8, strided<[?, 8]>>
func.func @field(%A: memref<?xi8, strided<[8]>>, %n: index, %m: index) {
  %c = arith.constant 1 : i8
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %m : index
      %k = arith.addi %r, %j : index
      memref.store %c, %A[%k] : memref<?xi8, strided<[8]>>
    }
  }
  return
}
