// RUN: terrace-opt %s -split-input-file -affine-wrap-to-select | FileCheck %s

// The neighbour behind wraps around once, at the last iteration.
// CHECK-LABEL: func.func @behind
// CHECK: %[[K:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK: %[[LESS:.*]] = arith.subi %[[K]], %[[N:.*]] overflow<nsw> : i32
// CHECK: %[[WRAPS:.*]] = arith.cmpi sge, %[[K]], %[[N]] : i32
// CHECK: %[[R:.*]] = arith.select %[[WRAPS]], %[[LESS]], %[[K]] : i32
// CHECK: arith.index_cast %[[R]] : i32 to index
func.func @behind(%a: memref<?xf32>, %b: memref<?xf32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %N {
    %i32 = arith.index_cast %i : index to i32
    %k = arith.addi %i32, %c1 overflow<nsw> : i32
    %r = arith.remsi %k, %n : i32
    %s = arith.index_cast %r : i32 to index
    %v = memref.load %a[%s] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// One that never wraps around is the number itself, and one that always does is the difference.
// CHECK-LABEL: func.func @known
// CHECK-NOT: arith.remsi
// CHECK-NOT: arith.select
// CHECK: return
func.func @known(%a: memref<?xi32>, %n: i32) {
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %N {
    %i32 = arith.index_cast %i : index to i32
    %r = arith.remsi %i32, %n : i32
    %k = arith.addi %i32, %n overflow<nsw> : i32
    %s = arith.remsi %k, %n : i32
    %t = arith.addi %r, %s : i32
    affine.store %t, %a[%i] : memref<?xi32>
  }
  return
}

// -----

// What may wrap around more often stays, and so does what may overflow on the way.
// CHECK-LABEL: func.func @often
// CHECK-COUNT-3: arith.remsi
func.func @often(%a: memref<?xi32>, %n: i32, %m: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %N {
    %i32 = arith.index_cast %i : index to i32
    %r = arith.remsi %i32, %m : i32
    %d = arith.muli %i32, %c2 overflow<nsw> : i32
    %e = arith.addi %d, %c1 overflow<nsw> : i32
    %f = arith.addi %e, %n overflow<nsw> : i32
    %s = arith.remsi %f, %n : i32
    %k = arith.addi %i32, %n : i32
    %u = arith.remsi %k, %n : i32
    %t = arith.addi %r, %s : i32
    %v = arith.addi %t, %u : i32
    affine.store %v, %a[%i] : memref<?xi32>
  }
  return
}

// -----

// An unsigned difference may start again at the greatest number: then it is not below the divisor.
// CHECK-LABEL: func.func @unsigned
// CHECK: arith.remui %{{.*}}, %{{.*}} : i64
// CHECK-NOT: arith.remui
// CHECK: arith.select
func.func @unsigned(%a: memref<?xi64>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %N = arith.index_cast %n : i64 to index
  affine.for %i = 0 to %N {
    %x = arith.index_cast %i : index to i64
    %below = arith.subi %x, %c1 : i64
    %r = arith.remui %below, %n : i64
    %ahead = arith.addi %x, %c1 : i64
    %s = arith.remui %ahead, %n : i64
    %t = arith.addi %r, %s : i64
    affine.store %t, %a[%i] : memref<?xi64>
  }
  return
}

// -----

// A hash of 64 bits is no number that does not wrap around.
// CHECK-LABEL: func.func @hash
// CHECK: arith.remui
func.func @hash(%a: memref<?xi64>, %n: i64) {
  %k = arith.constant 6364136223846793005 : i64
  %c0 = arith.constant 0 : i64
  %N = arith.index_cast %n : i64 to index
  affine.for %i = 0 to %N {
    %x = arith.index_cast %i : index to i64
    %h = arith.muli %x, %k : i64
    %r = arith.remui %h, %n : i64
    affine.store %r, %a[%i] : memref<?xi64>
  }
  return
}
