// RUN: terrace-opt %s -hoist-sizes -mlir-pass-statistics 2>&1 | FileCheck %s

// What is the same throughout is in front of all loops, once.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[M:.*]]: i32
// CHECK: %[[H:.*]] = arith.divsi %[[M]], %{{.*}} : i32
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[H]] : i32 to index
// CHECK-NEXT: affine.for
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %[[I]]
// CHECK-NEXT: memref.store %[[H]]
func.func @halves(%m: i32, %n: index, %a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i32
  affine.for %i = 0 to %n {
    %h = arith.divsi %m, %c2 : i32
    %e = arith.index_cast %h : i32 to index
    scf.for %j = %c0 to %e step %c1 {
      %g = arith.divsi %m, %c2 : i32
      memref.store %g, %a[%j] : memref<?xi32>
    }
  }
  return
}

// A division that may fail, numbers of a loop around, floats and what reads memory stay.
// CHECK-LABEL: func.func @stay
// CHECK: affine.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.for
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: memref.load
func.func @stay(%m: i32, %k: i32, %n: index, %x: f32, %a: memref<?xi32>, %b: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %r = arith.muli %i, %n : index
    %y = arith.addf %x, %x : f32
    affine.for %j = 0 to %n {
      %q = arith.divsi %m, %k : i32
      %v = memref.load %a[%n] : memref<?xi32>
      %s = arith.addi %q, %v : i32
      %p = arith.addi %r, %j : index
      memref.store %s, %a[%p] : memref<?xi32>
      memref.store %y, %b[%p] : memref<?xf32>
    }
  }
  return
}

// CHECK-DAG: (S) 2 num-hoisted
// CHECK-DAG: (S) 1 num-merged
