// RUN: terrace-opt %s -split-input-file -offload-unsigned | FileCheck %s

// Rows: i * m + j is the number itself where n * m is at most 2^31.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 0>, array<i64: 2147483647>], [array<i64: -1, 1>, array<i64: 2147483647>], [array<i64: -1, 0, 1>, array<i64: 2147483648>]]
// CHECK: %[[M:.*]] = arith.index_cast %arg1 : i32 to index
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK: affine.for %[[J:.*]] = 0 to %[[M]]
// CHECK: %[[R:.*]] = arith.muli %[[I]], %[[M]] : index
// CHECK: %[[K:.*]] = arith.addi %[[R]], %[[J]] : index
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[K]]]
func.func @rows(%n: i32 {acc.unsigned}, %m: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %N = arith.index_castui %n : i32 to index
  %M = arith.index_castui %m : i32 to index
  affine.for %i = 0 to %N {
    %a = arith.index_cast %i : index to i32
    affine.for %j = 0 to %M {
      %b = arith.index_cast %j : index to i32
      %r = arith.muli %a, %m : i32
      %k = arith.addi %r, %b : i32
      %l = arith.index_castui %k : i32 to index
      memref.store %x, %A[%l] : memref<?xf32>
    }
  }
  return
}

// -----

// Mirrored: the least is m - 1 - (m - 1).
// CHECK-LABEL: func.func @mirrored
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 0>, array<i64: 2147483647>]]
func.func @mirrored(%m: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : i32
  %M = arith.index_castui %m : i32 to index
  affine.for %j = 0 to %M {
    %b = arith.index_cast %j : index to i32
    %e = arith.subi %m, %c1 : i32
    %k = arith.subi %e, %b : i32
    %l = arith.index_castui %k : i32 to index
    memref.store %x, %A[%l] : memref<?xf32>
  }
  return
}

// -----

// Neighbours that conditions keep from starting again. Comparisons are of signed numbers then.
// CHECK-LABEL: func.func @guarded
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 0>, array<i64: 2147483647>]]
// CHECK: arith.cmpi sgt, %{{.*}} : index
// CHECK: arith.addi %{{.*}} : index
func.func @guarded(%m: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant -1 : i32
  %M = arith.index_castui %m : i32 to index
  affine.for %j = 0 to %M {
    %b = arith.index_cast %j : index to i32
    %p = arith.cmpi ugt, %b, %c0 : i32
    scf.if %p {
      %k = arith.addi %b, %c1 : i32
      %l = arith.index_castui %k : i32 to index
      memref.store %x, %A[%l] : memref<?xf32>
    }
  }
  return
}

// -----

// Without the condition the first one starts again.
// CHECK-LABEL: func.func @below
// CHECK-NOT: acc.presumes
// CHECK: arith.index_castui %{{.*}} : i32 to index
func.func @below(%m: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c1 = arith.constant -1 : i32
  %M = arith.index_castui %m : i32 to index
  affine.for %j = 0 to %M {
    %b = arith.index_cast %j : index to i32
    %k = arith.addi %b, %c1 : i32
    %l = arith.index_castui %k : i32 to index
    memref.store %x, %A[%l] : memref<?xf32>
  }
  return
}

// -----

// What is divided must be in the range; what a mask is laid over need not.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: acc.presumes = {{\[}}[array<i64: -1, 0>, array<i64: 2147483647>], [array<i64: -1, 1>, array<i64: 2147483647>], [array<i64: -1, 0, 1>, array<i64: 1, 1>, array<i64: 2147483647>]]
// CHECK: arith.floordivsi %{{.*}} : index
// CHECK: arith.andi %{{.*}} : i32
func.func @parts(%n: i32 {acc.unsigned}, %by: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c7 = arith.constant 7 : i32
  %c15 = arith.constant 15 : i32
  %N = arith.index_castui %n : i32 to index
  affine.for %j = 0 to %N {
    %b = arith.index_cast %j : index to i32
    %k = arith.muli %b, %by : i32
    %q = arith.divui %k, %c7 : i32
    %l = arith.index_castui %q : i32 to index
    memref.store %x, %A[%l] : memref<?xf32>
    %s = arith.muli %b, %k : i32
    %r = arith.andi %s, %c15 : i32
    %t = arith.index_castui %r : i32 to index
    memref.store %x, %A[%t] : memref<?xf32>
  }
  return
}

// -----

// Shifts to the right by a number that is known are divisions; by another they stay shifts.
// CHECK-LABEL: func.func @shifted
// CHECK: arith.floordivsi
// CHECK: %[[S:.*]] = arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK: arith.index_cast %[[S]] : i32 to index
func.func @shifted(%n: i32 {acc.unsigned}, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c2 = arith.constant 2 : i32
  %N = arith.index_castui %n : i32 to index
  affine.for %j = 0 to %N {
    %b = arith.index_cast %j : index to i32
    %k = arith.shrui %b, %c2 : i32
    %l = arith.index_castui %k : i32 to index
    memref.store %x, %A[%l] : memref<?xf32>
    %s = arith.shrui %n, %b : i32
    %t = arith.index_castui %s : i32 to index
    memref.store %x, %A[%t] : memref<?xf32>
  }
  return
}

// -----

// What memory holds may be any number.
// CHECK-LABEL: func.func @loaded
// CHECK-NOT: acc.presumes
// CHECK: arith.index_castui
func.func @loaded(%n: i32 {acc.unsigned}, %C: memref<?xi32>, %A: memref<?xf32>) attributes {acc.region = {}} {
  %x = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : i32
  %N = arith.index_castui %n : i32 to index
  affine.for %j = 0 to %N {
    %b = affine.load %C[%j] : memref<?xi32>
    %k = arith.addi %b, %c1 : i32
    %l = arith.index_castui %k : i32 to index
    memref.store %x, %A[%l] : memref<?xf32>
  }
  return
}
