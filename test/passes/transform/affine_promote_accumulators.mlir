// RUN: terrace-opt %s -affine-promote-accumulators -mlir-print-local-scope | FileCheck %s
// RUN: terrace-opt %s -affine-promote-accumulators='reassociate=true' | FileCheck %s --check-prefix=ANY

// Two elements at once, over both loops. The elements are surely there.
// CHECK-LABEL: func.func @two
// CHECK-DAG: %[[A:.*]] = affine.load %arg1[0]
// CHECK-DAG: %[[B:.*]] = affine.load %arg1[1]
// CHECK: %[[R:.*]]:2 = affine.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK-NEXT: %[[Q:.*]]:2 = affine.for {{.*}} iter_args(%[[X2:.*]] = %[[X]], %[[Y2:.*]] = %[[Y]]) -> (i32, i32) {
// CHECK-NEXT: affine.load %arg0
// CHECK-NEXT: arith.addi %[[X2]]
// CHECK-NEXT: arith.maxsi %{{.*}}, %[[Y2]]
// CHECK-NEXT: affine.yield
// CHECK: affine.yield %[[Q]]#0, %[[Q]]#1
// CHECK-DAG: affine.store %[[R]]#0, %arg1[0]
// CHECK-DAG: affine.store %[[R]]#1, %arg1[1]
func.func @two(%a: memref<8x?xi32>, %r: memref<2xi32>, %n: index) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to %n {
      %v = affine.load %a[%i, %j] : memref<8x?xi32>
      %x = affine.load %r[0] : memref<2xi32>
      %s = arith.addi %x, %v : i32
      affine.store %s, %r[0] : memref<2xi32>
      %y = affine.load %r[1] : memref<2xi32>
      %m = arith.maxsi %v, %y : i32
      affine.store %m, %r[1] : memref<2xi32>
    }
  }
  return
}

// Where it is not known that the element is there, it is touched only if the loops run.
// CHECK-LABEL: func.func @guarded
// CHECK: %[[V:.*]] = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%arg2] -> i32 {
// CHECK: affine.load %arg1[3]
// CHECK: %[[R:.*]] = affine.for {{.*}} iter_args(%{{.*}} = %[[V]])
// CHECK: affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%arg2] {
// CHECK: affine.store %[[R]], %arg1[3]
func.func @guarded(%a: memref<?xi32>, %r: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xi32>
    %x = affine.load %r[3] : memref<?xi32>
    %s = arith.subi %x, %v : i32
    affine.store %s, %r[3] : memref<?xi32>
  }
  return
}

// Sums of floats keep their order unless it may change. Where each iteration of a loop has an
// element of its own, that loop can be parallel as it is.
// CHECK-LABEL: func.func @floats
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.for {{.*}} iter_args
// CHECK: affine.for
// CHECK-NOT: iter_args
// CHECK: return
// ANY-LABEL: func.func @floats
// ANY-NEXT: affine.load
// ANY-NEXT: affine.for {{.*}} iter_args
// ANY: affine.for {{.*}} iter_args
func.func @floats(%a: memref<8x8xf32>, %r: memref<9xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i, 0] : memref<8x8xf32>
    %x = affine.load %r[2] : memref<9xf32>
    %s = arith.addf %x, %v : f32
    affine.store %s, %r[2] : memref<9xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i, 1] : memref<8x8xf32>
    %x = affine.load %r[3] : memref<9xf32>
    %s = arith.addf %x, %v fastmath<reassoc> : f32
    affine.store %s, %r[3] : memref<9xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %a[%i, %j] : memref<8x8xf32>
      %x = affine.load %r[%i + 1] : memref<9xf32>
      %s = arith.addf %x, %v fastmath<reassoc> : f32
      affine.store %s, %r[%i + 1] : memref<9xf32>
    }
  }
  return
}

// What is only done under a condition is a value that the condition gives.
// CHECK-LABEL: func.func @conditional
// CHECK: %[[R:.*]] = affine.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (i32) {
// CHECK: %[[N:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[X]], %{{.*}}
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[X]]
// CHECK: affine.yield %[[N]]
// CHECK: affine.store %[[R]], %arg1[2]
func.func @conditional(%a: memref<8xi32>, %r: memref<4xi32>, %c1: i32) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %c = arith.cmpi sgt, %v, %c1 : i32
    scf.if %c {
      %x = affine.load %r[2] : memref<4xi32>
      %s = arith.addi %x, %c1 : i32
      affine.store %s, %r[2] : memref<4xi32>
    }
  }
  return
}

// The last of the values that pass is no sum; where the element may not be there, nothing
// tells whether it is touched.
// CHECK-LABEL: func.func @no_sum
// CHECK-NOT: iter_args
// CHECK: return
func.func @no_sum(%a: memref<8xi32>, %r: memref<4xi32>, %q: memref<?xi32>, %c1: i32) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %x = affine.load %r[2] : memref<4xi32>
    %c = arith.cmpi sgt, %x, %c1 : i32
    scf.if %c {
      affine.store %v, %r[2] : memref<4xi32>
    }
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %c = arith.cmpi sgt, %v, %c1 : i32
    scf.if %c {
      %x = affine.load %q[2] : memref<?xi32>
      %s = arith.addi %x, %c1 : i32
      affine.store %s, %q[2] : memref<?xi32>
    }
  }
  return
}

// Somebody else may touch the element, or the value is used otherwise.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: iter_args
// CHECK: return
func.func @refused(%a: memref<8xi32>, %r: memref<8xi32>, %k: index) {
  affine.for %i = 0 to 8 {
    %x = affine.load %r[0] : memref<8xi32>
    %w = affine.load %r[%i] : memref<8xi32>
    %s = arith.addi %x, %w : i32
    affine.store %s, %r[0] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %x = affine.load %r[0] : memref<8xi32>
    %s = arith.addi %x, %v : i32
    affine.store %s, %r[0] : memref<8xi32>
    affine.store %s, %a[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %x = affine.load %r[0] : memref<8xi32>
    %s = arith.addi %x, %v : i32
    affine.store %s, %r[0] : memref<8xi32>
    func.call @unknown() : () -> ()
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %x = affine.load %r[0] : memref<8xi32>
    %s = arith.addi %x, %v : i32
    affine.store %s, %r[0] : memref<8xi32>
  } {acc.loop = {seq}}
  return
}
func.func private @unknown()
